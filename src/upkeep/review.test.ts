import { expect, test } from "vitest"
import { builtInPolicy } from "../formats/policy.ts"
import { reviewOf } from "./review.ts"
import { testMemory } from "./test-memory.ts"

const now = "2026-06-01T12:00:00.000Z"
const reasons = (given: Parameters<typeof testMemory>[1]) =>
  reviewOf([testMemory("m-00000000000000aa", { created: now, ...given })], builtInPolicy, now).map(
    ({ reason }) => reason,
  )

test("a person is shown what only its protection keeps", () => {
  expect(reasons({ pinned: true, expires: "2026-05-01T00:00:00.000Z" })).toEqual([
    "it would end (expired on 2026-05-01), but it is pinned",
  ])
  const idle = { opportunities: 40, passedOver: 40, hits: 1 }
  expect(
    reasons({ kind: "guard", polarity: -1, status: "active", created: "2025-01-01T00:00:00.000Z", metrics: idle }),
  ).toEqual(["it would end (40 opportunities, used in 0, helped once), but it is a guard that has helped"])
  expect(reasons({ pinned: true })).toEqual([])
})

test("a person is shown what is flagged, with all reasons in one place", () => {
  expect(reasons({ flags: ["conflict", "misses"], metrics: { misses: 2 } })).toEqual([
    "it conflicts with another memory; its mistake happened twice although it was in the context",
  ])
  expect(reasons({ flags: ["graduated", "skill"] })).toEqual([])
})

test("a person is shown what is too uncertain to be handed out", () => {
  expect(reasons({ confidence: 0.5, evidence: 1 })).toHaveLength(1)
  expect(reasons({ confidence: 0.5, evidence: 2 })).toEqual([])
  expect(reasons({ confidence: 0.6, evidence: 1 })).toEqual([])
})

test("what has ended needs nobody's eye", () => {
  expect(reasons({ status: "deprecated", flags: ["conflict"] })).toEqual([])
})
