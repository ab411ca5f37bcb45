import { expect, test } from "vitest"
import { makeAmendedPairs } from "./amended-pairs.ts"
import type { Store } from "./data.ts"
import { runArm } from "./run-arm.ts"
import { simpleArms } from "./simple-arms.ts"
import type { Vectors } from "./vectors.ts"

/** Counts letters: texts of the same letters are near, which is all these tests need of a model. */
const vectors: Vectors = {
  of: async (texts) =>
    texts.map((text) => {
      const counts = new Float32Array(26)
      for (const letter of text.toLowerCase().match(/[a-z]/g) ?? []) {
        const index = letter.charCodeAt(0) - 97
        counts[index] = (counts[index] ?? 0) + 1
      }
      const length = Math.hypot(...counts)
      return counts.map((count) => count / length)
    }),
}

const store: Store = {
  name: "tiny",
  split: "development",
  documents: [
    { id: "tabs", title: "Indentation", text: "We indent with tabs.", origin: "a", position: 0 },
    { id: "retry", title: "Retries", text: "Failed calls are retried five times.", origin: "a", position: 1 },
    { id: "money", title: "Amounts", text: "Money is kept as integers, and we round late.", origin: "a", position: 2 },
  ],
}

test.each(simpleArms(vectors))("$name finds the document that the query was taken from", async (arm) => {
  const query = {
    id: "q",
    store: "tiny",
    kind: "question",
    text: "failed calls retried",
    relevant: ["retry"],
    answerable: true,
  }
  const { answers } = await runArm(arm, [store], [query])
  expect(answers[0]?.hits[0]?.id).toBe("retry")
  expect(answers[0]?.hits.map(({ score }) => score)).toEqual(
    answers[0]?.hits.map(({ score }) => score).sort((a, b) => b - a),
  )
})

test("a peer that cannot be opened is noted and does not end the run", async () => {
  const query = { id: "q", store: "tiny", kind: "question", text: "tabs", relevant: ["tabs"], answerable: true }
  const arm = {
    name: "peer",
    kind: "peer" as const,
    open: () => Promise.reject(new Error("not installed: no network")),
  }
  expect(await runArm(arm, [store], [query])).toMatchObject({ answers: [], failure: "not installed: no network" })
})

test("the amended decisions are the same in every run, with and without links", () => {
  const linked = makeAmendedPairs(true)
  const plain = makeAmendedPairs(false)
  expect(linked).toEqual(makeAmendedPairs(true))
  expect(linked.queries).toEqual(plain.queries)
  expect(linked.queries).toHaveLength(200)
  const documents = new Map(linked.stores.flatMap((each) => each.documents).map((document) => [document.id, document]))
  for (const { relevant, stale } of linked.queries) {
    const [amendment, decision] = [documents.get(relevant[0] ?? ""), documents.get(stale?.[0] ?? "")]
    expect(amendment?.supersedes).toEqual(stale)
    expect(amendment?.at).toBeGreaterThan(decision?.at ?? Number.POSITIVE_INFINITY)
  }
  expect(plain.stores.flatMap((each) => each.documents).some(({ supersedes }) => supersedes)).toBe(false)
})
