import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { beforeAll, expect, test } from "vitest"
import { openTokenCounter } from "./sync/synced-recall.ts"
import { boundTokens } from "./token-count.ts"

const numRuns = Number(process.env.DREY_PROPERTY_RUNS ?? 1_000)

let exactTokens: (text: string) => number
beforeAll(async () => {
  exactTokens = await openTokenCounter()
})

const words = fc.constantFrom(
  "index",
  "tokeniser",
  "antidisestablishment",
  "qzxjk",
  "HTTPServer",
  "don't",
  "über",
  "決定",
  "🚀",
)
const joints = fc.constantFrom(" ", "\n\n", "_", ".", "-", "(", "`", "**", "", "—", "\t", "'S ")

const texts: Record<string, fc.Arbitrary<string>> = {
  "any characters": fc.string({ unit: "binary", maxLength: 200 }),
  "half of a surrogate pair": fc.string({ unit: fc.constantFrom("\ud83d", "\ude80", "a", " "), maxLength: 20 }),
  letters: fc.string({ unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz"), maxLength: 100 }),
  "printable characters": fc.string({ unit: "grapheme-ascii", maxLength: 200 }),
  "hexadecimal digits": fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), maxLength: 200 }),
  base64: fc.base64String({ maxLength: 400 }),
  "words and what joins them": fc
    .array(fc.tuple(words, joints), { maxLength: 40 })
    .map((pairs) => pairs.flat().join("")),
  "runs of one character": fc
    .tuple(fc.constantFrom(..."-=_*#. \n\tae漢"), fc.nat(600))
    .map(([character, times]) => character.repeat(times)),
}

for (const [kind, arbitrary] of Object.entries(texts)) {
  test(`the bound is never below the tokeniser's count: ${kind}`, () => {
    fc.assert(
      fc.property(arbitrary, (text) => boundTokens(text) >= exactTokens(text)),
      { numRuns: numRuns / 10 },
    )
  })
}

test("the bound is within a fifth of the true count on this project's own documents", () => {
  const docs = join(import.meta.dirname, "..", "..", "docs")
  const files = readdirSync(docs).filter((name) => name.endsWith(".md"))
  const text = files.map((name) => readFileSync(join(docs, name), "utf8")).join("\n")
  expect(files.length).toBeGreaterThan(0)
  expect(boundTokens(text) / exactTokens(text)).toBeLessThan(1.2)
})

test("the counts of blocks add up if a line end is next to neither white space nor a slash", () => {
  const block = fc.string({ unit: fc.constantFrom(..."aB1 .,*-\n/—'s"), maxLength: 30 })
  const opening = fc.constantFrom("#", "-", "A", "a", "1", "<", "'s", "—")
  fc.assert(
    fc.property(block, opening, block, (before, start, after) => {
      const parts = [`${before}\n`, start + after]
      for (const count of [boundTokens, exactTokens]) {
        expect(count(parts.join(""))).toBe(parts.reduce((sum, part) => sum + count(part), 0))
      }
    }),
    { numRuns },
  )
})

test("an empty text has no tokens", () => {
  expect(boundTokens("")).toBe(0)
  expect(exactTokens("")).toBe(0)
})

test("a megabyte without a break is bounded by its bytes, at once", () => {
  const letters = randomBytes(500_000).toString("hex").replace(/\d/g, "g")
  expect(boundTokens(letters)).toBe(letters.length)
  expect(exactTokens(letters)).toBe(letters.length)
})
