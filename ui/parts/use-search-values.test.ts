import { expect, test } from "vitest"
import { withSearchValues } from "./use-search-values.ts"

test("an address keeps the values that are not changed, and whatever a query holds comes back", () => {
  const values = new URLSearchParams({ q: 'tag:"100% done" +x', id: "old" })
  const address = withSearchValues("/explorer", values, { id: "new" })
  expect(Object.fromEntries(new URL(address, "http://x").searchParams)).toEqual({ q: 'tag:"100% done" +x', id: "new" })
})

test("a value that is taken away leaves nothing behind", () => {
  expect(withSearchValues("/explorer", new URLSearchParams({ q: "x", id: "1" }), { id: null, q: "" })).toBe("/explorer")
})
