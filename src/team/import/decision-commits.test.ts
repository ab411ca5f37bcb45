import { expect, test } from "vitest"
import { decisionIn } from "./decision-commits.ts"

const commit = (message: string, more: { author?: string; parents?: number } = {}) =>
  decisionIn({ id: "a".repeat(40), parents: 1, author: "Kim", at: Date.UTC(2026, 2, 1), message, files: [], ...more })

test.each([
  [
    "a footer",
    "feat: new ledger\n\nText.\n\nBREAKING CHANGE: `post` takes cents and no floats.\nIt rounds.",
    "`post` takes cents and no floats.",
  ],
  ["a breaking subject", "feat(api)!: remove the endpoint for reports", "Remove the endpoint for reports"],
  ["a marked line", "fix: retry\n\nDecision: give up after seven attempts.\nRefs: 12", "Give up after seven attempts."],
  [
    "a sentence",
    "fix: dates\n\nIt was confusing. We decided to store all times in UTC. See #4.",
    "We decided to store all times in UTC.",
  ],
  [
    "a sentence with a mark",
    "fix: mail\n\nIt bounced. New rule: one mail per day and customer.",
    "One mail per day and customer.",
  ],
  [
    "words for the future",
    "chore: tags\n\nFrom now on a release is tagged by CI only.",
    "From now on a release is tagged by CI only.",
  ],
])("%s states a decision", (_, message, title) => {
  expect(commit(message)).toMatchObject({
    type: "decision",
    title,
    authors: ["Kim"],
    date: "2026-03-01",
    key: "a".repeat(40),
  })
})

test.each([
  "fix: the decision list scrolls again",
  "docs: rationale of the atomic file",
  "feat: ask which one was chosen\n\nIt is not decided whether the list is sorted.",
  "feat: vote\n\nHave we decided to keep it?",
  "fix: quote\n\n> We decided to store all times in UTC.",
  "docs: example\n\n```\nBREAKING CHANGE: this is an example of a footer\n```",
  'Revert "feat!: remove the endpoint for reports"',
  "fix: policy file\n\nThe policy is a file, merged per key.",
  "feat!: drop",
])("no decision is stated by %j", (message) => {
  expect(commit(message)).toBeUndefined()
})

test("merges and programs decide nothing", () => {
  const message = "feat!: remove the endpoint for reports"
  expect(commit(message, { parents: 2 })).toBeUndefined()
  expect(commit(message, { author: "renovate[bot]" })).toBeUndefined()
})
