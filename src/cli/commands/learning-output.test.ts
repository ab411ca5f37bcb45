import { expect, test } from "vitest"
import { nothingLearned } from "../../learning/learner.ts"
import type { Decision } from "../../memories/learned-store.ts"
import { testMemory } from "../../memories/review/test-memory.ts"
import { episodesText, graduationText, learnedText, newMemoryLines, postponedText } from "./learning-output.ts"

const at = "2026-03-02T08:00:00.000Z"

function expired(memory: string): Decision {
  const state = { status: "deprecated", tier: "short_term", expires: at, flags: [] } as const
  return { memory, version: 1, result: "expire", reason: "expired on 2026-03-02", ...state, flags: [] }
}

test("memories learned from old work that have ended since are printed in one line, others one by one", () => {
  const learned = {
    ...nothingLearned(),
    episodes: 3,
    outcomes: [
      { kind: "added" as const, id: "m-a" },
      { kind: "added" as const, id: "m-b" },
    ],
    evaluations: [{ at, decisions: [expired("m-a"), expired("m-old"), expired("m-b")] }],
  }
  expect(learnedText(learned)).toEqual([
    "Learned from 3 episodes: 2 new memories.",
    "  expire m-old: expired on 2026-03-02",
    "  2 had already expired",
  ])
})

test("episodes that wait for the writer and parked ones are reported separately", () => {
  const waiting = { episode: "ep-1", reason: "no connection", parked: false }
  const parked = { episode: "ep-2", reason: "it hangs", parked: true }
  expect(postponedText([waiting, waiting])).toEqual(["2 episodes wait for the writer: no connection"])
  expect(postponedText([parked])).toEqual([
    'The writer failed too often for 1 episode: it hangs (retry with "drey ingest --retry")',
  ])
  expect(postponedText([])).toEqual([])
})

test("episodes with nothing to teach count as learned from, and zero counts are not printed", () => {
  const none = { processed: 0, skipped: 0, waiting: 0, parked: 0 }
  const text = (episodes: Partial<typeof none>, openTasks = 0) =>
    episodesText({ episodes: { ...none, ...episodes }, openTasks })
  expect(text({})).toBe("none yet")
  expect(text({ processed: 48, skipped: 2 })).toBe("50 learned from, 2 of them with nothing to teach")
  expect(text({ waiting: 1, parked: 2 }, 1)).toBe("1 waiting, 2 failed (retry with drey ingest --retry), 1 task open")
})

test("a dry run prints what would be proposed", () => {
  const graduation = {
    proposed: [{ memory: "m-a", path: ".squad/decisions/inbox/a.md", isAccepted: false }],
    skills: [],
    refused: [],
  }
  expect(graduationText(graduation, { dryRun: true })).toEqual([
    "Would be proposed to the team: m-a in .squad/decisions/inbox/a.md",
  ])
  expect(graduationText(graduation)).toEqual(["Proposed to the team: m-a in .squad/decisions/inbox/a.md"])
})

test("after twenty new memories the rest is counted, with the command that lists them all", async () => {
  const outcomes = Array.from({ length: 23 }, (_, at) => ({ kind: "added" as const, id: `m-${1000 + at}` }))
  const lines = await newMemoryLines({ find: async (id) => [testMemory(id)] }, outcomes)
  expect(lines).toHaveLength(21)
  expect(lines[20]).toContain("and 3 more: drey status --all")
  expect(await newMemoryLines({ find: async (id) => [testMemory(id)] }, outcomes.slice(0, 20))).toHaveLength(20)
})
