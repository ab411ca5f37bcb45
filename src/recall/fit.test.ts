import fc from "fast-check"
import { expect, test } from "vitest"
import { type Applicant, defaultShares, fit } from "./fit.ts"
import { type Lane, lanes } from "./standing.ts"

const numRuns = Number(process.env.DREY_PROPERTY_RUNS ?? 10_000)

const named = (name: string, lane: Lane, tokens: number) => ({ name, lane, tokens })
const namesOf = (kept: readonly { name: string }[]) => kept.map(({ name }) => name)

test("rules take half the room while others wait, and what is left over afterwards", () => {
  const rules = [named("one", "rules", 40), named("two", "rules", 40)]
  expect(namesOf(fit([...rules, named("entry", "team", 50)], 100).kept)).toEqual(["one", "entry"])
  expect(namesOf(fit([...rules, named("entry", "team", 20)], 100).kept)).toEqual(["one", "two", "entry"])
  expect(namesOf(fit(rules, 100).kept)).toEqual(["one", "two"])
})

test("a smaller item takes the place that a larger one before it could not", () => {
  const { kept, left } = fit([named("large", "team", 90), named("larger", "team", 80), named("small", "own", 10)], 100)
  expect(namesOf(kept)).toEqual(["large", "small"])
  expect(left).toEqual([{ item: named("larger", "team", 80), reason: "does not fit: it takes 80 tokens" }])
})

test("what is larger than everything there is says so", () => {
  expect(fit([named("huge", "team", 101)], 100).left[0]?.reason).toBe(
    "larger than the whole budget: it takes 101 tokens",
  )
  expect(fit([named("any", "rules", 1)], -5).kept).toEqual([])
})

const applicant: fc.Arbitrary<Applicant> = fc.record({
  lane: fc.constantFrom(...lanes),
  tokens: fc.oneof(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 2500 })),
})

test("never over the room, whole items, each lane within its share, and a reason for whatever is left", () => {
  fc.assert(
    fc.property(fc.array(applicant, { maxLength: 40 }), fc.integer({ min: -10, max: 3000 }), (applicants, room) => {
      const { kept, left } = fit(applicants, room)
      const tokensOf = (...wanted: Lane[]) =>
        kept.filter(({ lane }) => wanted.includes(lane)).reduce((sum, { tokens }) => sum + tokens, 0)
      const learned = Math.max(0, Math.min(defaultShares.learned, room))
      expect(tokensOf(...lanes)).toBeLessThanOrEqual(Math.max(0, room))
      expect(tokensOf("warnings", "learned")).toBeLessThanOrEqual(learned)
      expect(tokensOf("warnings")).toBeLessThanOrEqual(learned * 0.25)
      expect(kept.filter(({ lane }) => lane === "warnings").length).toBeLessThanOrEqual(3)
      expect(lanes.flatMap((lane) => applicants.filter((item) => item.lane === lane && kept.includes(item)))).toEqual(
        kept,
      )
      expect(left.every(({ item, reason }) => !kept.includes(item) && / \d+ tokens$/.test(reason))).toBe(true)
      expect(kept.length + left.length).toBe(applicants.length)
    }),
    { numRuns },
  )
})

test("rules exceed their share only where nothing else wants the room", () => {
  fc.assert(
    fc.property(fc.array(applicant, { maxLength: 30 }), fc.integer({ min: 1, max: 3000 }), (applicants, room) => {
      const { kept, left } = fit(applicants, room)
      const rules = kept.filter(({ lane }) => lane === "rules").reduce((sum, { tokens }) => sum + tokens, 0)
      const all = kept.reduce((sum, { tokens }) => sum + tokens, 0)
      if (rules <= room * defaultShares.rules) return
      for (const { item } of left) {
        if (item.lane === "team" || item.lane === "own") expect(item.tokens).toBeGreaterThan(room - all)
      }
    }),
    { numRuns },
  )
})

test("a cost known without counting changes nothing but what has to be counted", () => {
  fc.assert(
    fc.property(
      fc.array(applicant, { maxLength: 30 }),
      fc.integer({ min: 1, max: 3000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (applicants, room, share) => {
        const bounded = applicants.map((item) => ({ ...item, least: () => Math.floor(item.tokens * share) }))
        const places = (kept: readonly Applicant[], of: readonly Applicant[]) => kept.map((item) => of.indexOf(item))
        expect(places(fit(bounded, room).kept, bounded)).toEqual(places(fit(applicants, room).kept, applicants))
      },
    ),
    { numRuns },
  )
})
