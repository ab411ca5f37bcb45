import { expect, test } from "vitest"
import { decodePart } from "./decode-part.ts"

test("a part of the address is decoded, and unchanged where it cannot be", () => {
  expect(decodePart("s:one%2Fattempt-001")).toBe("s:one/attempt-001")
  expect(decodePart("100%")).toBe("100%")
})
