import { describe, expect, test } from "vitest"
import { builtInPolicy, type Policy } from "../../formats/policy.ts"
import type { Memory, MemoryKind } from "../memory.ts"
import { addDays, evaluateMemories } from "./evaluation.ts"
import { testMemory } from "./test-memory.ts"

const now = "2026-06-01T12:00:00.000Z"
const daysAgo = (days: number) => addDays(now, -days)

function decide(memory: Memory, policy: Policy = builtInPolicy) {
  return evaluateMemories([memory], policy, now)[0]
}

/** A memory from today, so that neither age nor disuse matters. */
function fresh(given: Parameters<typeof testMemory>[1] = {}): Memory {
  return testMemory("m-00000000000000aa", { created: now, ...given })
}

type Subject = { kind: MemoryKind; polarity?: 1 | -1 }

describe("promotion thresholds", () => {
  const edges: (Subject & { uses: number; fewestPassed: number; mostPassed: number; hits: number })[] = [
    { kind: "pattern", uses: 3, fewestPassed: 2, mostPassed: 2, hits: 2 },
    { kind: "pattern", polarity: -1, uses: 3, fewestPassed: 2, mostPassed: 2, hits: 2 },
    { kind: "preference", uses: 3, fewestPassed: 2, mostPassed: 2, hits: 2 },
    { kind: "note", uses: 3, fewestPassed: 2, mostPassed: 2, hits: 2 },
    { kind: "invariant", uses: 2, fewestPassed: 1, mostPassed: 2, hits: 1 },
    { kind: "guard", polarity: -1, uses: 3, fewestPassed: 7, mostPassed: 7, hits: 3 },
  ]
  test.each(edges)("$kind $polarity: exactly enough is enough, and one less of anything is not", (edge) => {
    const { kind, polarity = 1, uses: useCount, fewestPassed, mostPassed, hits } = edge
    const counted = { opportunities: useCount + fewestPassed, useCount, passedOver: fewestPassed, hits }
    const result = (metrics: Partial<Memory["metrics"]>) =>
      decide(fresh({ kind, polarity, metrics: { ...counted, ...metrics } }))?.result
    expect(result({})).toBe("promote")
    expect(result({ passedOver: fewestPassed - 1 })).toBeUndefined()
    expect(result({ passedOver: mostPassed })).toBe("promote")
    expect(result({ passedOver: mostPassed + 1 })).toBeUndefined()
    expect(result({ hits: hits - 1 })).toBeUndefined()
    expect(result({ misses: 1 })).toBeUndefined()
    expect(result({ misses: 1, hits: hits + 1 })).toBe("promote")
  })

  test("credit alone never promotes", () => {
    const metrics = { opportunities: 50, useCount: 50, regretSaved: 27, netRegret: 27 }
    expect(decide(fresh({ metrics }))).toBeUndefined()
  })

  test("tasks without a context request skip nothing, and prove nothing", () => {
    const metrics = { opportunities: 40, useCount: 3, passedOver: 2, hits: 2 }
    expect(decide(fresh({ metrics }))?.result).toBe("promote")
    expect(decide(fresh({ metrics: { opportunities: 20, useCount: 2, hits: 2 } }))).toBeUndefined()
  })

  test("the reason names the counts", () => {
    const metrics = { opportunities: 6, useCount: 4, passedOver: 1, hits: 3, misses: 1 }
    expect(decide(fresh({ metrics }))?.reason).toBe(
      "6 opportunities, used in 4 of 5 contexts, helped 3 times, failed once",
    )
  })
})

describe("the effect of promotion", () => {
  const proven = { opportunities: 20, useCount: 20, hits: 5 }

  test.each(["pattern", "preference", "invariant"] as const)("a %s becomes permanent", (kind) => {
    const decision = decide(fresh({ kind, expires: addDays(now, 3), metrics: proven }))
    expect(decision).toMatchObject({ status: "active", tier: "long_term", expires: undefined })
  })

  test("a guard stays an emergency, a note short term, each for another 180 days", () => {
    const guard = decide(
      fresh({ kind: "guard", polarity: -1, tier: "emergency", expires: addDays(now, 3), metrics: proven }),
    )
    const note = decide(fresh({ kind: "note", expires: addDays(now, 3), metrics: proven }))
    expect(guard).toMatchObject({ status: "active", tier: "emergency", expires: addDays(now, 180) })
    expect(note).toMatchObject({ status: "active", tier: "short_term", expires: addDays(now, 180) })
  })

  test("a later end, or none, is not shortened", () => {
    expect(decide(fresh({ kind: "note", expires: addDays(now, 300), metrics: proven }))?.expires).toBe(
      addDays(now, 300),
    )
    expect(decide(fresh({ kind: "note", expires: undefined, metrics: proven }))?.expires).toBeUndefined()
  })

  test("with remove_on_long_term off, permanent memories have an end too", () => {
    const ttl = { ...builtInPolicy.ttl, on_promotion: { extend_by_days: 90, remove_on_long_term: false } }
    const decision = decide(fresh({ expires: addDays(now, 3), metrics: proven }), { ...builtInPolicy, ttl })
    expect(decision).toMatchObject({ tier: "long_term", expires: addDays(now, 90) })
  })

  test("a memory that earned it in time is promoted, even if the evaluation runs after its end", () => {
    expect(decide(fresh({ expires: daysAgo(1), metrics: proven }))?.result).toBe("promote")
  })
})

describe("deprecation thresholds", () => {
  const edges: (Subject & { uses: number; passedOver: number })[] = [
    { kind: "pattern", uses: 1, passedOver: 9 },
    { kind: "preference", uses: 1, passedOver: 9 },
    { kind: "invariant", uses: 1, passedOver: 9 },
    { kind: "guard", polarity: -1, uses: 1, passedOver: 19 },
    { kind: "note", uses: 1, passedOver: 4 },
  ]
  test.each(edges)("$kind: exactly this rarely ends it; one use more, or one opportunity less, does not", (edge) => {
    const { kind, polarity = 1, uses, passedOver } = edge
    const result = (useCount: number, passed: number) =>
      decide(fresh({ kind, polarity, metrics: { opportunities: useCount + passed, useCount, passedOver: passed } }))
        ?.result
    expect(result(uses, passedOver)).toBe("deprecate")
    expect(result(uses + 1, passedOver - 1)).toBeUndefined()
    expect(result(0, uses + passedOver - 1)).toBeUndefined()
  })

  test("an opportunity is not a use: an always skipped memory ends, an always used one does not", () => {
    const chances = { opportunities: 10 }
    expect(decide(fresh({ metrics: { ...chances, passedOver: 10 } }))?.result).toBe("deprecate")
    expect(decide(fresh({ metrics: { ...chances, useCount: 10 } }))).toBeUndefined()
  })

  test("a history without any context ends nothing", () => {
    expect(decide(fresh({ metrics: { opportunities: 500 } }))).toBeUndefined()
  })

  test("an active one must also have been idle for half its decay time, without a hit in it", () => {
    const result = (idle: number, hit: number | undefined, kind: MemoryKind = "note") =>
      decide(
        testMemory("m-00000000000000aa", {
          kind,
          status: "active",
          created: daysAgo(400),
          metrics: {
            opportunities: 10,
            useCount: 1,
            passedOver: 9,
            lastUsed: daysAgo(idle),
            lastHit: hit === undefined ? undefined : daysAgo(hit),
          },
        }),
      )?.result
    expect(result(30, undefined)).toBe("deprecate")
    expect(result(30, 30)).toBe("deprecate")
    expect(result(29.9, undefined)).toBeUndefined()
    expect(result(30, 29.9)).toBeUndefined()
    expect(result(5000, undefined, "invariant")).toBeUndefined() // never decays, so it is not skipped either
  })
})

describe("decay", () => {
  const edges: (Subject & { days: number })[] = [
    { kind: "guard", polarity: -1, days: 90 },
    { kind: "note", days: 60 },
    { kind: "pattern", days: 180 },
    { kind: "pattern", polarity: -1, days: 180 },
    { kind: "preference", days: 365 },
  ]
  test.each(edges)("$kind $polarity after more than $days days without a use", ({ kind, polarity = 1, days }) => {
    const result = (idle: number) =>
      decide(fresh({ kind, polarity, created: daysAgo(1000), metrics: { lastUsed: daysAgo(idle) } }))?.result
    expect(result(days)).toBeUndefined()
    expect(result(days + 0.01)).toBe("decay")
  })

  test("a memory that was never used is as old as its creation", () => {
    expect(decide(fresh({ kind: "note", created: daysAgo(61) }))).toMatchObject({
      result: "decay",
      status: "deprecated",
      reason: "not used for 61 days (limit: 60)",
    })
  })

  test("an invariant never decays", () => {
    expect(decide(fresh({ kind: "invariant", created: daysAgo(5000) }))).toBeUndefined()
  })

  test("a pattern that says what not to do is a gotcha first, then a pattern, then the default, then permanent", () => {
    const gotcha = fresh({ polarity: -1, created: daysAgo(11) })
    const withDecay = (decay: Policy["decay"]) => decide(gotcha, { ...builtInPolicy, decay })?.result
    const ten = { max_inactive_days: 10 }
    const hundred = { max_inactive_days: 100 }
    expect(withDecay({ gotcha: ten, pattern: hundred })).toBe("decay")
    expect(withDecay({ gotcha: hundred, pattern: ten })).toBeUndefined()
    expect(withDecay({ pattern: ten, default: hundred })).toBe("decay")
    expect(withDecay({ default: ten })).toBe("decay")
    expect(withDecay({ gotcha: { max_inactive_days: "never" }, default: ten })).toBeUndefined()
    expect(withDecay({})).toBeUndefined()
  })
})

test("a memory expires at its end, not before", () => {
  expect(decide(fresh({ expires: now }))).toMatchObject({ result: "expire", status: "deprecated" })
  expect(decide(fresh({ expires: addDays(now, 0.001) }))).toBeUndefined()
  expect(decide(fresh({ kind: "guard", polarity: -1, tier: "emergency", expires: daysAgo(1) }))?.result).toBe("expire")
})

test("a protected memory survives disuse, age and its own end", () => {
  const doomed = { created: daysAgo(5000), expires: daysAgo(1) }
  const passedOver = { opportunities: 100, passedOver: 100 }
  const survivors: Parameters<typeof testMemory>[1][] = [
    { ...doomed, pinned: true, metrics: passedOver },
    { ...doomed, status: "active", kind: "invariant", tier: "long_term", metrics: passedOver },
    { ...doomed, status: "active", kind: "guard", polarity: -1, metrics: { ...passedOver, hits: 1 } },
  ]
  for (const given of survivors) expect(decide(fresh(given))).toBeUndefined()
  expect(decide(fresh({ ...doomed, kind: "invariant", tier: "long_term" }))?.result).toBe("expire") // not earned yet
  expect(decide(fresh({ ...doomed, status: "active", kind: "guard", polarity: -1 }))?.result).toBe("decay") // never helped
})

describe("failures", () => {
  test("two misses flag a memory, once", () => {
    const misses = { misses: 2, hits: 2 }
    expect(decide(fresh({ metrics: { misses: 1 } }))).toBeUndefined()
    expect(decide(fresh({ metrics: misses }))).toMatchObject({
      result: "flag",
      status: "provisional",
      flags: ["misses"],
    })
    expect(decide(fresh({ flags: ["misses"], metrics: misses }))).toBeUndefined()
  })

  test("three misses, and twice as many as hits, end a memory on trial", () => {
    const result = (hits: number, misses: number) =>
      decide(fresh({ flags: ["misses"], metrics: { opportunities: 20, useCount: 20, hits, misses } }))?.result
    expect(result(0, 2)).toBeUndefined()
    expect(result(1, 3)).toBe("deprecate")
    expect(result(2, 3)).toBeUndefined()
    expect(result(2, 4)).toBe("deprecate")
  })

  test("as many misses as hits put an active memory back on trial", () => {
    const active = (hits: number, misses: number, given: Partial<Memory> = {}) =>
      decide(fresh({ status: "active", tier: "long_term", flags: ["misses"], ...given, metrics: { hits, misses } }))
    expect(active(3, 2)).toBeUndefined()
    expect(active(2, 2)).toMatchObject({ result: "demote", status: "provisional" })
    expect(active(2, 2, { pinned: true })).toBeUndefined()
  })

  test("a user's statement is flagged and stays", () => {
    const person = { origin: "user", trust: 3 } as const
    expect(decide(fresh({ ...person, metrics: { misses: 9 } }))).toMatchObject({
      result: "flag",
      status: "provisional",
    })
    expect(decide(fresh({ ...person, status: "active", metrics: { misses: 9 } }))).toMatchObject({
      result: "flag",
      status: "active",
    })
  })
})

test("nothing is changed, and ended memories are not changed either", () => {
  const memories = [
    fresh({ metrics: { opportunities: 5, useCount: 5, hits: 5, misses: 2 } }),
    fresh({ expires: daysAgo(1) }),
    fresh({ status: "deprecated", expires: daysAgo(1) }),
  ]
  const before = structuredClone(memories)
  expect(evaluateMemories(memories, builtInPolicy, now).map(({ result }) => result)).toEqual(["promote", "expire"])
  expect(memories).toEqual(before)
})
