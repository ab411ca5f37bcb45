import fc from "fast-check"
import { expect, test } from "vitest"
import { type Lane, lanes } from "../eligibility.ts"
import { type ContextCandidate, defaultShares, type Form, fit } from "./selection.ts"

const numRuns = Number(process.env.DREY_PROPERTY_RUNS ?? 1_000)

type Named = ContextCandidate & { name: string }

function entry(name: string, lane: Lane, costs: Partial<Record<Form, number>>, qualifies = false): Named {
  const forms = (["whole", "excerpt", "line"] as const).filter((form) => costs[form] !== undefined)
  return { name, lane, qualifies, forms, shortest: forms.at(-1) ?? "line", cost: (form) => costs[form] ?? 0 }
}

const shown = (items: readonly Named[], room: number) =>
  fit(items, room).map(({ item, form }) => `${item.name} ${form}`)

test("everything is included whole while it fits, relevant or not", () => {
  const items = [
    entry("rule", "rules", { whole: 40, excerpt: 20, line: 10 }),
    entry("relevant", "team", { whole: 30, excerpt: 20, line: 10 }, true),
    entry("other", "team", { whole: 30, excerpt: 20, line: 10 }),
  ]
  expect(shown(items, 100)).toEqual(["rule whole", "relevant whole", "other whole"])
})

test("when the budget binds, the relevant item keeps its detail and the others get a line", () => {
  const items = [
    entry("rule", "rules", { whole: 60, excerpt: 40, line: 10 }),
    entry("relevant", "team", { whole: 30, excerpt: 20, line: 10 }, true),
    entry("other", "team", { whole: 60, excerpt: 40, line: 10 }),
    entry("another", "team", { whole: 60, excerpt: 40, line: 10 }),
  ]
  expect(shown(items, 65)).toEqual(["rule line", "relevant whole", "other line", "another line"])
})

test("a relevant item is never dropped for being long: it is excerpted", () => {
  const long = entry("long", "team", { whole: 5000, excerpt: 90, line: 30 }, true)
  expect(shown([long], 200)).toEqual(["long excerpt"])
  expect(shown([long], 80)).toEqual(["long line"])
})

test("rules take at most half of the room while other items need it", () => {
  const rules = ["one", "two", "three"].map((name) => entry(name, "rules", { whole: 90, line: 30 }))
  expect(shown([...rules, entry("entry", "team", { whole: 90, line: 40 })], 100)).toEqual([
    "one line",
    "two line",
    "entry line",
  ])
  expect(shown(rules, 100)).toEqual(["one line", "two line", "three line"])
})

test("without room nothing is included", () => {
  expect(fit([entry("any", "rules", { whole: 1 })], -5)).toEqual([])
})

const applicant = fc
  .record({
    lane: fc.constantFrom(...lanes),
    qualifies: fc.boolean(),
    whole: fc.oneof(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 2500 })),
    share: fc.double({ min: 0.05, max: 1, noNaN: true }),
  })
  .map(({ lane, qualifies, whole, share }) => {
    const line = Math.ceil(whole * share)
    const costs =
      lane === "learned"
        ? { whole }
        : lane === "warnings"
          ? { whole, line: Math.min(line, whole - 1) || 1 }
          : { whole, excerpt: Math.ceil((whole + line) / 2), line }
    return entry("", lane, costs, qualifies)
  })

test("never over the budget, learned memories within their share, and no item twice", () => {
  fc.assert(
    fc.property(fc.array(applicant, { maxLength: 40 }), fc.integer({ min: -10, max: 3000 }), (applicants, room) => {
      const kept = fit(applicants, room)
      const tokensOf = (...wanted: Lane[]) =>
        kept.filter(({ item }) => wanted.includes(item.lane)).reduce((sum, { tokens }) => sum + tokens, 0)
      const learned = Math.max(0, Math.min(defaultShares.learned, room))
      expect(tokensOf(...lanes)).toBeLessThanOrEqual(Math.max(0, room))
      expect(tokensOf("learned")).toBeLessThanOrEqual(learned)
      const warned = kept.filter(({ item, form }) => item.lane === "warnings" && form === "whole")
      expect(warned.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(learned * defaultShares.warnings)
      expect(kept.every(({ item, form, tokens }) => item.cost(form) === tokens)).toBe(true)
      expect(kept.map(({ item }) => lanes.indexOf(item.lane))).toEqual(
        kept.map(({ item }) => lanes.indexOf(item.lane)).sort((one, other) => one - other),
      )
      expect(new Set(kept.map(({ item }) => item)).size).toBe(kept.length)
    }),
    { numRuns },
  )
})

test("an entry is left out only if not even its line fits", () => {
  fc.assert(
    fc.property(fc.array(applicant, { maxLength: 30 }), fc.integer({ min: 1, max: 3000 }), (applicants, room) => {
      const kept = fit(applicants, room)
      const rest = room - kept.reduce((sum, { tokens }) => sum + tokens, 0)
      const lines = kept.filter(({ form, item }) => form === item.forms.at(-1)).length
      if (lines < kept.length) return // room used by detail is no longer available for lines
      const shown = new Set(kept.map(({ item }) => item))
      for (const item of applicants)
        if (!shown.has(item) && item.lane !== "warnings" && item.lane !== "learned")
          expect(item.cost("line")).toBeGreaterThan(rest)
    }),
    { numRuns },
  )
})
