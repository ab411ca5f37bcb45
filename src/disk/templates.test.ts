import { expect, test } from "vitest"
import { compareVersions } from "./templates.ts"

test("versions compare by their numbers, not as text", () => {
  expect(compareVersions("1.9.0", "1.10.0")).toBeLessThan(0)
  expect(compareVersions("2.0", "1.99.99")).toBeGreaterThan(0)
  expect(compareVersions("1.0", "1.0.0")).toBe(0)
  expect(compareVersions("v1.2.3", "1.2.3")).toBe(0)
})

test("a missing version is older than any", () => {
  expect(compareVersions(undefined, "0.1.0")).toBeLessThan(0)
  expect(compareVersions(undefined, undefined)).toBe(0)
})
