import fc from "fast-check"
import { expect, test } from "vitest"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { findEntriesToKeep, planArchive } from "./session-archive.ts"
import { attempt, decision, discovery, memoryOf } from "./test-entries.ts"

/** As if every entry had this many bytes and the file contained nothing else. */
function planWith(memory: AgentMemory, bytesEach = 100) {
  const count = memory.discoveries.length + memory.attempts.length + memory.decisions.length
  return planArchive(memory, { bytes: count * bytesEach, bytesOf: () => bytesEach })
}

const movedIds = (memory: AgentMemory, bytesEach?: number) => planWith(memory, bytesEach).move.map(({ id }) => id)

test("entries older than two hours before the newest one move, the rest stays", () => {
  const memory = memoryOf({
    discoveries: [discovery("d-1", "10:00"), discovery("d-2", "12:59"), discovery("d-3", "13:00")],
    attempts: [attempt("a-1", "11:00"), attempt("a-2", "15:00")],
    decisions: [decision("c-1", "10:30")],
  })
  expect(planWith(memory).move).toEqual([
    { section: "discoveries", index: 0, id: "d-1" },
    { section: "discoveries", index: 1, id: "d-2" },
    { section: "attempts", index: 0, id: "a-1" },
    { section: "decisions", index: 0, id: "c-1" },
  ])
})

test("an old attempt that was finished recently is recent", () => {
  const finished = attempt("a-1", "10:00", { updatedAt: "2026-03-04T14:30:00.000Z" })
  expect(movedIds(memoryOf({ attempts: [finished, attempt("a-2", "15:00")] }))).toEqual([])
})

test("entries that are in progress, critical, named by a blocker or without a valid time stay, each for its own reason", () => {
  const memory = memoryOf({
    discoveries: [
      discovery("d-critical", "10:00", { importance: "critical" }),
      discovery("d-blocking", "10:00"),
      discovery("d-undated", "10:00", { timestamp: "yesterday" }),
      discovery("d-new", "15:00"),
    ],
    attempts: [attempt("a-open", "10:00", { result: "in_progress" })],
    context: { blockers: ["Nobody knows the port (see d-blocking)."] },
  })
  expect(movedIds(memory)).toEqual([])
  expect([...findEntriesToKeep(memory).staying].map(([{ entry }, reason]) => [entry.id, reason])).toEqual([
    ["d-critical", "critical"],
    ["d-blocking", "blocker"],
    ["d-undated", "no valid time"],
    ["d-new", "recent"],
    ["a-open", "in progress"],
  ])
})

test("entries that a staying entry refers to, directly or indirectly, stay too", () => {
  const memory = memoryOf({
    discoveries: [discovery("d-ground", "08:00"), discovery("d-other", "08:00")],
    attempts: [attempt("a-ground", "09:00", { relatedDiscoveries: ["d-ground"] })],
    decisions: [
      decision("c-new", "15:00", { relatedAttempts: ["developer/a-ground", "a-unknown"] }),
      decision("c-old", "08:00", { relatedDiscoveries: ["d-other"] }),
    ],
  })
  expect(movedIds(memory)).toEqual(["d-other", "c-old"])
})

test("entries that only refer to each other do not stay", () => {
  const memory = memoryOf({
    attempts: [
      attempt("a-1", "08:00", { relatedAttempts: ["a-2"] }),
      attempt("a-2", "08:00", { relatedAttempts: ["a-1"] }),
    ],
    discoveries: [discovery("d-1", "15:00")],
  })
  expect(movedIds(memory)).toEqual(["a-1", "a-2"])
})

const many = (count: number) =>
  memoryOf({
    discoveries: Array.from({ length: count }, (_, index) => {
      return discovery(`d-${index}`, `14:${String(index % 60).padStart(2, "0")}`)
    }),
  })

test("of a file that is too large although everything is recent, the oldest entries move until there is room", () => {
  const plan = planWith(many(60), 2_000)
  const left = 60 - plan.move.length
  expect(plan.move.map(({ index }) => index)).toEqual(Array.from(plan.move.keys()))
  expect(left * 2_000).toBeLessThanOrEqual(80_000)
  expect(left * 2_000).toBeGreaterThan(70_000)
  expect(plan.due).toBe("size")
})

test("in that case too, referenced entries stay or move with what refers to them", () => {
  const memory = many(60)
  memory.discoveries.push(discovery("d-ground", "08:00"))
  memory.decisions.push(decision("c-early", "13:30", { relatedDiscoveries: ["d-ground"] }))
  memory.decisions.push(decision("c-late", "14:59", { relatedDiscoveries: ["d-0"] }))
  const moved = movedIds(memory, 2_000)
  expect(moved).toEqual(expect.arrayContaining(["d-ground", "c-early", "d-1"]))
  expect(moved).not.toContain("d-0")
})

test("the newest entry and those in progress stay however large they are; critical ones move last", () => {
  const memory = memoryOf({
    discoveries: [discovery("d-critical", "10:00", { importance: "critical" }), discovery("d-recent", "14:00")],
    attempts: [attempt("a-open", "10:00", { result: "in_progress" }), attempt("a-newest", "15:00")],
  })
  expect(movedIds(memory, 30_000)).toEqual(["d-recent"])
  expect(movedIds(memory, 60_000)).toEqual(["d-critical", "d-recent"])
})

test("contents of artifacts are removed before entries, the oldest first and only as many as needed", () => {
  const artifacts = (bytes: number) => [{ path: "src/a.ts", content: "x".repeat(bytes) }]
  const memory = memoryOf({
    attempts: [
      attempt("a-3", "14:30", { artifacts: artifacts(30_000) }),
      attempt("a-1", "14:10", { artifacts: [...artifacts(30_000), ...artifacts(50)] }),
      attempt("a-2", "14:20", { artifacts: artifacts(30_000) }),
    ],
  })
  const plan = planArchive(memory, { bytes: 105_000, bytesOf: () => 35_000 })
  expect(plan.dropContents).toEqual([{ attempt: 1, artifact: 0 }])
  expect(plan.move).toEqual([])
  expect(plan.due).toBe("size")
})

test("old summaries of earlier moves are removed before recent entries, all but the newest", () => {
  const memory = many(3)
  const span = {
    archivedAt: "2026-03-04T09:00:00.000Z",
    counts: { discoveries: 1, attempts: 0, decisions: 0 },
    summary: "",
    ids: [],
  }
  memory.history.push(span, span, span)
  const sizes = { bytes: 110_000, bytesOf: (section: string) => (section === "history" ? 20_000 : 16_000) }
  expect(planArchive(memory, sizes)).toMatchObject({ moveSpans: 2, move: [] })
})

test("it is due automatically when entries go back more than four hours, not when only some are no longer recent", () => {
  const spanning = (from: string) => memoryOf({ discoveries: [discovery("d-1", from), discovery("d-2", "15:00")] })
  expect(planWith(spanning("11:30"))).toMatchObject({ due: undefined, move: [{ id: "d-1" }] })
  expect(planWith(spanning("10:30")).due).toBe("age")
})

test("a file that stays too large whatever is moved is not due repeatedly", () => {
  const memory = memoryOf({
    discoveries: [discovery("d-1", "14:00"), discovery("d-2", "15:00")],
    attempts: [attempt("a-open", "10:00", { result: "in_progress" })],
  })
  const plan = planArchive(memory, { bytes: 150_000, bytesOf: (section) => (section === "attempts" ? 149_000 : 500) })
  expect(plan).toMatchObject({ due: undefined, move: [{ id: "d-1" }] })
})

test("an empty memory gives an empty plan", () => {
  expect(planWith(memoryOf({}))).toEqual({ due: undefined, move: [], dropContents: [], moveSpans: 0 })
})

const anyEntries = fc.array(
  fc.record({
    kind: fc.constantFrom("discoveries", "attempts", "decisions"),
    minute: fc.integer({ min: 0, max: 599 }),
    refersTo: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
    importance: fc.constantFrom("low", "critical"),
    result: fc.constantFrom("success", "failure", "in_progress"),
  }),
  { minLength: 1, maxLength: 30 },
)

test("whatever a memory contains, nothing moves twice, nothing moves that a staying entry refers to, and open entries stay", () => {
  fc.assert(
    fc.property(anyEntries, fc.integer({ min: 100, max: 20_000 }), (entries, bytesEach) => {
      const memory = memoryOf({})
      for (const [index, { kind, minute, refersTo, importance, result }] of entries.entries()) {
        const time = `${String(8 + Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`
        const related = refersTo.map((number) => `e-${number}`)
        const references = { relatedDiscoveries: related, relatedAttempts: related }
        if (kind === "discoveries") memory.discoveries.push(discovery(`e-${index}`, time, { importance }))
        else if (kind === "attempts") memory.attempts.push(attempt(`e-${index}`, time, { result }))
        else memory.decisions.push(decision(`e-${index}`, time, references))
      }
      const ids = movedIds(memory, bytesEach)
      const moved = new Set(ids)
      expect(ids).toHaveLength(moved.size)
      expect(memory.attempts.filter(({ id, result }) => moved.has(id) && result === "in_progress")).toEqual([])
      const needed = memory.decisions.filter(({ id }) => !moved.has(id)).flatMap((each) => each.relatedDiscoveries)
      expect(memory.discoveries.filter(({ id }) => moved.has(id) && needed.includes(id))).toEqual([])
    }),
  )
})
