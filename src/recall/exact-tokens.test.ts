import { expect, test } from "vitest"
import { openTokenCounter } from "./exact-tokens.ts"

test("text is counted as o200k_base counts it", async () => {
  const count = await openTokenCounter()
  expect(count("hello world")).toBe(2)
  expect(count("antidisestablishmentarianism")).toBe(6)
})

test("text that reads like a special token is counted as plain text", async () => {
  const count = await openTokenCounter()
  expect(count("<|endoftext|>")).toBeGreaterThan(1)
  expect(count("<|fim_prefix|> and <|im_start|>system")).toBeGreaterThan(4)
})
