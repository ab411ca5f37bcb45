import { expect, test } from "vitest"
import { cleanMemoryText, clip } from "./memory-text.ts"

test("a memory is one line without anything unseen", () => {
  expect(cleanMemoryText("  Use\u0000 pnpm,\n\tnot\u200b npm.\u001b[31m ")).toBe("Use pnpm, not npm.[31m")
})

test("two sentences are kept, the third goes", () => {
  expect(cleanMemoryText("Use v1.2 of it. It is fast. It is new.")).toBe("Use v1.2 of it. It is fast.")
  expect(cleanMemoryText("常に pnpm を使う。npm は使わない。理由は速さ。")).toBe("常に pnpm を使う。npm は使わない。")
})

test("a text is cut at 300 code points, never through a character", () => {
  const cut = cleanMemoryText("🦊".repeat(400))
  expect([...cut]).toHaveLength(300)
  expect(cut).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
  expect(clip("one two three four", 12)).toBe("one two…")
})
