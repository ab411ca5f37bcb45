import { expect, test } from "vitest"
import { cutBytes, cutCharacters } from "./cut-text.ts"

test("a text within its limit stays as it is", () => {
  expect(cutCharacters("🦊🦊", 2)).toBe("🦊🦊")
  expect(cutBytes("🦊🦊", 8)).toBe("🦊🦊")
})

test.each([60, 61, 62, 63])("a text over %i bytes is cut between two characters, its mark within the limit", (most) => {
  const cut = cutBytes("🦊".repeat(50), most)
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most)
  const [, kept = "", missing] = /^((?:🦊)+)\n\[… (\d+) more bytes\]$/u.exec(cut) ?? []
  expect(Buffer.byteLength(kept) + Number(missing)).toBe(200)
})
