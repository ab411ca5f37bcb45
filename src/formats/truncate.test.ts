import fc from "fast-check"
import { expect, test } from "vitest"
import { truncate } from "./truncate.ts"

test("a text is cut by code points, never within one", () => {
  expect(truncate("abc", 3)).toBe("abc")
  expect(truncate("abcd", 3)).toBe("ab…")
  expect(truncate("🦊🦊🦊", 3)).toBe("🦊🦊🦊")
  expect(truncate("🦊🦊🦊🦊", 3)).toBe("🦊🦊…")
})

test("whatever the text, what is left is well formed and no longer than allowed", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "🦊", "é", " ") }),
      fc.integer({ min: 1, max: 50 }),
      (text, most) => {
        const cut = truncate(text, most)
        expect([...cut].length).toBeLessThanOrEqual(most)
        expect(() => encodeURIComponent(cut)).not.toThrow()
        if ([...text].length <= most) expect(cut).toBe(text)
      },
    ),
  )
})
