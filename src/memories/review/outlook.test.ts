import { expect, test } from "vitest"
import { builtInPolicy } from "../../formats/policy.ts"
import { addDays } from "./evaluation.ts"
import { outlookOf, reviewOf } from "./outlook.ts"
import { testMemory } from "./test-memory.ts"

const now = "2026-06-01T12:00:00.000Z"
const outlook = (given: Parameters<typeof testMemory>[1]) =>
  outlookOf(testMemory("m-00000000000000aa", { created: now, ...given }), builtInPolicy, now)

test("lists what a memory on trial still needs, and what would end it", () => {
  const metrics = { opportunities: 4, useCount: 1, passedOver: 1, hits: 1, misses: 1 }
  expect(outlook({ metrics, expires: addDays(now, 30) })).toEqual([
    "To be promoted, it must match 3 more contexts, be used in 60 % of matching contexts (so far 50 %), and help in 2 more tasks (each failure cancels a success).",
    "Ends if used in 10 % or less of at least 10 matching contexts.",
    "Ends if not used for 180 days (after 2026-11-28).",
    "Ends after 3 failures if it fails twice as often as it helps; so far it failed once and helped once.",
    "Ends on 2026-07-01 unless promoted before.",
  ])
})

test("says what the next evaluation will do", () => {
  const earned = { opportunities: 5, useCount: 5, hits: 2 }
  expect(outlook({ metrics: earned })).toEqual(["Will be promoted at the next evaluation."])
  expect(outlook({ expires: now }).at(-1)).toBe("Will end at the next evaluation: expired on 2026-06-01.")
})

test("says why a protected memory stays, and of an active one only what can still end it", () => {
  expect(outlook({ status: "active", pinned: true })).toEqual(["Never ends automatically: it is pinned."])
  expect(outlook({ status: "active" })).toEqual([
    "Ends if used in 10 % or less of at least 10 matching contexts and not used for 90 days.",
    "Ends if not used for 180 days (after 2026-11-28).",
  ])
  expect(outlook({ status: "deprecated" })).toEqual(["No longer active."])
})

const reasons = (given: Parameters<typeof testMemory>[1]) =>
  reviewOf([testMemory("m-00000000000000aa", { created: now, ...given })], builtInPolicy, now).map(
    ({ reason }) => reason,
  )

test("a memory that only its protection keeps needs review", () => {
  expect(reasons({ pinned: true, expires: "2026-05-01T00:00:00.000Z" })).toEqual([
    "it would end (expired on 2026-05-01), but it is pinned",
  ])
  const idle = { opportunities: 40, passedOver: 40, hits: 1 }
  expect(
    reasons({ kind: "guard", polarity: -1, status: "active", created: "2025-01-01T00:00:00.000Z", metrics: idle }),
  ).toEqual(["it would end (40 opportunities, used in 0, helped once), but it is a guard that has helped"])
  expect(reasons({ pinned: true })).toEqual([])
})

test("a flagged memory needs review, with all reasons in one place", () => {
  expect(reasons({ flags: ["conflict", "misses"], metrics: { misses: 2 } })).toEqual([
    "it conflicts with another memory; its mistake happened twice although it was in the context",
  ])
  expect(reasons({ flags: ["graduated", "skill"] })).toEqual([])
})

test("a memory too uncertain to be handed out needs review", () => {
  expect(reasons({ confidence: 0.5, evidence: 1 })).toHaveLength(1)
  expect(reasons({ confidence: 0.5, evidence: 2 })).toEqual([])
  expect(reasons({ confidence: 0.6, evidence: 1 })).toEqual([])
})

test("an ended memory needs no review", () => {
  expect(reasons({ status: "deprecated", flags: ["conflict"] })).toEqual([])
})
