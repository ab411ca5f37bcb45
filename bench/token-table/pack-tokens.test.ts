import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { noRank, openTokenTable, tokenTableFile } from "../../src/recall/token-count.ts"
import { packTokens } from "./pack-tokens.ts"
import { readVocabulary } from "./read-vocabulary.ts"

test("the shipped table is what the script builds from the vocabulary", () => {
  const shipped = readFileSync(join(import.meta.dirname, "..", "..", "assets", tokenTableFile))
  expect(Buffer.compare(packTokens(readVocabulary()), shipped)).toBe(0)
})

test("every token of the vocabulary's beginning is found, in the vocabulary's order, and nothing else is", () => {
  const table = openTokenTable()
  const rankOf = (token: Uint8Array) => table?.rankOf(token, 0, token.length) ?? noRank
  const vocabulary = readVocabulary()
  const ranks = vocabulary.map(rankOf)
  expect(ranks.every((rank, index) => rank !== noRank && rank > (ranks[index - 1] ?? -1))).toBe(true)

  const latin = (token: Uint8Array) => Buffer.from(token).toString("latin1")
  const known = new Set(vocabulary.map(latin))
  const others = vocabulary
    .map((token) => Buffer.concat([token, Buffer.from("q")]))
    .filter((token) => !known.has(latin(token)))
  expect(others.length).toBeGreaterThan(40_000)
  expect(others.every((token) => rankOf(token) === noRank)).toBe(true)
})
