import { expect, test } from "vitest"
import { didYouMean } from "./did-you-mean.ts"

test("a missing, wrong, extra or swapped letter is forgiven", () => {
  const meant = (word: string) => didYouMean(word, ["type", "author", "tag", "scope"])
  expect(["tpye", "Authr", "tags", "scop", "autohr", "tipe"].map(meant)).toEqual([
    "type",
    "author",
    "tag",
    "scope",
    "author",
    "type",
  ])
})

test("the nearest candidate wins, and nothing near gives nothing", () => {
  expect(didYouMean("noted", ["node", "note"])).toBe("note")
  expect(didYouMean("http", ["type", "author"])).toBeUndefined()
  expect(didYouMean("", ["id"])).toBeUndefined()
})
