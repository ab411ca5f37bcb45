import { expect, test } from "vitest"
import { relatedKey, relatedKeys } from "./related-keys.ts"

function isRelated(value: string, type: string, identifier: string): boolean {
  return relatedKeys([{ type, identifier }]).includes(relatedKey(value))
}

test("an issue is found by its number, with its kind, and where its address is given", () => {
  for (const written of ["#18", "18", "https://github.com/acme/shop/issues/18", "acme/shop#18"]) {
    for (const value of ["#18", "18", "issue:#18", "ISSUE:18"])
      expect(isRelated(value, "issue", written), value).toBe(true)
  }
  expect(isRelated("#1", "issue", "#18")).toBe(false)
  expect(isRelated("pr:#18", "issue", "#18")).toBe(false)
  expect(isRelated("https://github.com/acme/other/issues/18", "issue", "#18")).toBe(false)
})

test("an id, an address and a path are found as a whole, without case and code marks", () => {
  expect(isRelated("SEM-4F2A90C1D3E5", "decision", "sem-4f2a90c1d3e5")).toBe(true)
  expect(isRelated("https://example.com/Spec", "reference", "<https://example.com/spec>")).toBe(true)
  expect(isRelated("docs/a b.md", "file", "`./docs/a b.md`")).toBe(true)
  expect(isRelated("docs", "file", "docs/a.md")).toBe(false)
})

test("a time compares as an instant, and each of a list is found", () => {
  expect(isRelated("2026-02-10T17:15:00Z", "decision", "2026-02-10T09:15:00-0800")).toBe(true)
  expect(isRelated("#7", "issue", "#18, #7")).toBe(true)
})
