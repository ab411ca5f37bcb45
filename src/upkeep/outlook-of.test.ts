import { expect, test } from "vitest"
import { builtInPolicy } from "../formats/policy.ts"
import { addDays } from "./days.ts"
import { outlookOf } from "./outlook-of.ts"
import { testMemory } from "./test-memory.ts"

const now = "2026-06-01T12:00:00.000Z"
const outlook = (given: Parameters<typeof testMemory>[1]) =>
  outlookOf(testMemory("m-00000000000000aa", { created: now, ...given }), builtInPolicy, now)

test("tells a memory on trial what is missing, and what would end it", () => {
  const metrics = { opportunities: 4, useCount: 1, passedOver: 1, hits: 1, misses: 1 }
  expect(outlook({ metrics, expires: addDays(now, 30) })).toEqual([
    "To be promoted, it must match 3 more contexts, be used in 60 % of matching contexts (so far 50 %), and help in 2 more tasks (each failure cancels a success).",
    "Ends if used in 10 % or less of at least 10 matching contexts.",
    "Ends if not used for 180 days (after 2026-11-28).",
    "Ends after 3 failures if it fails twice as often as it helps; so far it failed once and helped once.",
    "Ends on 2026-07-01 unless promoted before.",
  ])
})

test("tells what the next evaluation will do", () => {
  const earned = { opportunities: 5, useCount: 5, hits: 2 }
  expect(outlook({ metrics: earned })).toEqual(["Will be promoted at the next evaluation."])
  expect(outlook({ expires: now }).at(-1)).toBe("Will end at the next evaluation: expired on 2026-06-01.")
})

test("tells why a protected one stays, and of an active one only what can still end it", () => {
  expect(outlook({ status: "active", pinned: true })).toEqual(["Never ends automatically: it is pinned."])
  expect(outlook({ status: "active" })).toEqual([
    "Ends if used in 10 % or less of at least 10 matching contexts and not used for 90 days.",
    "Ends if not used for 180 days (after 2026-11-28).",
  ])
  expect(outlook({ status: "deprecated" })).toEqual(["No longer active."])
})
