import { expect, test } from "vitest"
import { placeToGo, signInHref } from "./sign-in-href.ts"

test("after sign-in the user returns to the requested page, with its query", () => {
  const href = signInHref({ pathname: "/explorer", search: "?q=type%3Aguard" })
  expect(placeToGo(new URL(href, "http://x").searchParams)).toBe("/explorer?q=type%3Aguard")
  expect(signInHref({ pathname: "/", search: "" })).toBe("/sign-in")
})

test.each([
  "https://evil.invalid/",
  "//evil.invalid/",
  "/\\evil.invalid",
  "javascript:alert(1)",
  "/sign-in?to=/",
  "/join",
])("an address that leads to %s leads to the first page", (to) => {
  expect(placeToGo(new URLSearchParams({ to }))).toBe("/")
})
