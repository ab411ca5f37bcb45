import { expect, test } from "vitest"
import { openStaticEmbedder } from "../../index/embedders/static-embedder.ts"
import { findDuplicates } from "./duplicates.ts"

const opened = openStaticEmbedder()
const embed = (text: string) => (opened.kind === "ready" ? opened.embedder.embedNow(text) : undefined)

test("the same words are an exact copy, ignoring case and punctuation", () => {
  const texts = ["Use tabs", "use  TABS!", "Use spaces in YAML"]
  expect(findDuplicates(texts, () => undefined)).toEqual([{ kind: "exact", of: 0, at: 1 }])
})

test("a paraphrase is a near-duplicate, by the shipped table", () => {
  const texts = [
    "Database migrations live in db/migrations",
    "Tests need Redis running locally",
    "Migrations of the database are in db/migrations",
    "PostgreSQL 15 must be running locally for the tests",
    "Tests need PostgreSQL 15 running locally",
  ]
  expect(findDuplicates(texts, embed)).toEqual([
    { kind: "near", of: 0, at: 2 },
    { kind: "near", of: 3, at: 4 },
  ])
})

test("another number, or a negation, is another meaning", () => {
  const texts = [
    "The API listens on port 4848",
    "The API listens on port 4949",
    "Push to main on a Friday",
    "Never push to main on a Friday",
  ]
  expect(findDuplicates(texts, embed)).toEqual([])
})

test("a copy of a copy is one of the first", () => {
  expect(findDuplicates(["Use tabs", "Use tabs", "Use tabs"], () => undefined)).toEqual([
    { kind: "exact", of: 0, at: 1 },
    { kind: "exact", of: 0, at: 2 },
  ])
})
