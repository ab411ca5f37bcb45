import { expect, test } from "vitest"
import type { EpisodeEvent, Finding } from "../episodes/episode.ts"
import { findSuccessBehind, findWordsAgainst, findWordsBehind } from "./find-backing.ts"
import { edited, inputOf, ran, said } from "./test-input.ts"
import type { NewText, ProposedEvidence } from "./writer.ts"

const claimed: ProposedEvidence = { source: "explicit_statement", frustration: "none" }

function stated(event: number): Finding {
  return { kind: "explicit_statement", event }
}

/** A rule that was found in this message, and what a memory makes of it. */
function behind(message: string, memory: Partial<NewText> & { text: string }) {
  const input = inputOf([said(message)], { findings: [stated(0)] })
  return findWordsBehind({ kind: "invariant", polarity: 1, ...memory }, claimed, input)
}

test.each([
  ["never push to main", "Push to main.", 1],
  ["we use pnpm here, not npm", "This project uses npm, not pnpm.", 1],
  ["always warm up the cache", "Warm up the cache.", -1],
  ["Always warm up the cache. Never deploy on Fridays.", "Warm up the cache.", -1],
] as const)("%s does not bear out its opposite: %s", (message, text, polarity) => {
  expect(behind(message, { text, polarity })).toBeUndefined()
})

test.each([
  "Always warm up the cache. Never deploy on Fridays. Deploy on Mondays.",
  "never deploy on Fridays, and use podman to deploy",
  "don't ever deploy on Fridays",
])("a memory is held against its own words in a message: %s", (message) => {
  const guard = { kind: "guard", polarity: -1, text: "Never deploy on Fridays." } as const
  expect(behind(message, guard)).toEqual({ source: "explicit_statement", event: 0 })
})

test("half of a memory's words are not most of them", () => {
  expect(behind("we use vitest for tests", { text: "Vitest tests need the vendor portal." })).toBeUndefined()
  expect(behind("we use vitest for tests of the portal", { text: "Vitest tests the vendor portal." })).toBeDefined()
})

test("the episode says whether words were a rule or a correction", () => {
  const events = [edited("a.ts"), said("no, install with pnpm and not npm")]
  const input = inputOf(events, { findings: [{ kind: "user_correction", event: 1, after: 0 }] })
  const memory = { kind: "invariant", polarity: 1, text: "This project installs with pnpm, not npm." } as const
  expect(findWordsBehind(memory, claimed, input)).toEqual({ source: "user_correction", event: 1 })
})

test.each([
  ["Run npm test after adding left-pad.", true],
  ["A module that Node cannot find comes from a stale build.", true],
  ["CI=1 npm test -- --run works.", true],
  ["Always test on Fridays.", false],
  ["`pnpm tests` are slow.", false],
])("whether %j names what failed, its error or the command that worked: %s", (text, isNamed) => {
  const events: EpisodeEvent[] = [
    ran("npm test", "1 failed", "Cannot find module"),
    ran("CI=1 npm test -- --run", "ok"),
  ]
  const finding: Finding = {
    kind: "failure_then_success",
    head: "npm test",
    fingerprint: "cannot find module <string>",
    failures: [0],
    success: 1,
    edits: [],
  }
  const backing = isNamed ? { source: "failure_then_success", event: 0 } : undefined
  expect(findSuccessBehind(text, inputOf(events, { findings: [finding] }))).toEqual(backing)
})

test("a warning said once more does not end it", () => {
  const guard = { kind: "guard", text: "Never push to main." } as const
  const against = (message: string) =>
    findWordsAgainst(guard, claimed, inputOf([said(message)], { findings: [stated(0)] }))
  expect(against("never push to main!")).toBeUndefined()
  expect(against("never push to main, push to develop")).toBeUndefined()
  expect(against("from now on push to main")).toEqual({ source: "explicit_statement", event: 0 })
})
