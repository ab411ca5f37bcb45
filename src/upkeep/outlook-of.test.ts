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
    "To be promoted it must be a candidate for 3 more contexts, be in 60 % of the contexts it could be in (so far 50 %), and help in 2 more tasks, as each failure takes back a help.",
    "It ends when it is in 10 % or less of at least 10 contexts it could be in.",
    "It ends when it is not used for 180 days, that is after 2026-11-28.",
    "It ends when it has failed 3 times and twice as often as it helped; so far it failed once and helped once.",
    "It ends on 2026-07-01, unless it is promoted before.",
  ])
})

test("tells what the next evaluation will do", () => {
  const earned = { opportunities: 5, useCount: 5, hits: 2 }
  expect(outlook({ metrics: earned })).toEqual(["It will be promoted at the next evaluation."])
  expect(outlook({ expires: now }).at(-1)).toBe("It will end at the next evaluation: its time was over on 2026-06-01.")
})

test("tells why a protected one stays, and of an active one only what can still end it", () => {
  expect(outlook({ status: "active", pinned: true })).toEqual(["It never ends by itself: it is pinned."])
  expect(outlook({ status: "active" })).toEqual([
    "It ends when it is in 10 % or less of at least 10 contexts it could be in and nobody uses it for 90 days.",
    "It ends when it is not used for 180 days, that is after 2026-11-28.",
  ])
  expect(outlook({ status: "deprecated" })).toEqual(["It has ended; nothing brings it back by itself."])
})
