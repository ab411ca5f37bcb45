import { expect, test } from "vitest"
import { DreyError } from "../errors.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { traceEntry } from "./entry-references.ts"
import { attempt, decision, discovery, memoryOf } from "./test-entries.ts"

function traced(id: string, live: AgentMemory[], options: { archived?: AgentMemory[]; agent?: string } = {}) {
  const byAgent = (list: AgentMemory[]) => new Map(list.map((memory) => [memory.agent, memory]))
  const trace = traceEntry({ live: byAgent(live), archived: byAgent(options.archived ?? []) }, id, options)
  return { ...trace, lines: trace.linked.map(({ from, relation, found }) => `${from} ${relation} ${found.entry.id}`) }
}

const queue = memoryOf({
  discoveries: [discovery("d-1", "10:00"), discovery("d-2", "10:00"), discovery("d-apart", "10:00")],
  attempts: [attempt("a-1", "10:10", { result: "failure" }), attempt("a-2", "10:30")],
  decisions: [
    decision("c-1", "10:20", { relatedAttempts: ["a-1"], relatedDiscoveries: ["d-1", "d-gone"] }),
    decision("c-2", "10:40", { relatedDiscoveries: ["d-1", "d-2"] }),
  ],
})

test("a trace leads from an attempt to the decision that followed, to its grounds, and to everything else based on them", () => {
  expect(traced("a-1", [queue]).lines).toEqual([
    "a-1 led to c-1",
    "c-1 rests on d-1",
    "d-1 led to c-2",
    "c-2 rests on d-2",
  ])
})

test("a backward trace leads from a discovery over the decision to the attempt", () => {
  expect(traced("d-1", [queue]).lines).toEqual([
    "d-1 led to c-1",
    "d-1 led to c-2",
    "c-1 follows from a-1",
    "c-2 rests on d-2",
  ])
})

test("ids that are referenced but do not exist are named", () => {
  expect(traced("c-1", [queue]).missing).toEqual([{ from: "c-1", id: "d-gone" }])
})

test("archived entries are found and marked", () => {
  const live = memoryOf({ decisions: [decision("c-1", "10:20", { relatedDiscoveries: ["d-1"] })] })
  const { start, linked } = traced("c-1", [live], { archived: [queue] })
  expect(start.archived).toBe(false)
  expect(linked[0]).toMatchObject({
    relation: "rests on",
    found: { kind: "discovery", archived: true, agent: "developer" },
  })
})

test("from the entry itself a trace leads to attempts at the same step and to entries with the same files", () => {
  const memory = memoryOf({
    discoveries: [
      discovery("d-folder", "10:00", { relatedFiles: ["./src/queue/"] }),
      discovery("d-other", "10:00", { relatedFiles: ["src/queue-size.ts"] }),
    ],
    attempts: [
      attempt("a-1", "10:10", { planStep: 2, artifacts: [{ path: "src/queue/send.ts" }] }),
      attempt("a-2", "10:20", { planStep: 2, artifacts: [{ path: "docs/queue.md" }] }),
      attempt("a-3", "10:30", { planStep: 3, artifacts: [{ path: "src/queue/send.ts" }] }),
      attempt("a-4", "10:40", { planStep: 3, artifacts: [{ path: "src/app.ts" }] }),
    ],
    decisions: [decision("c-1", "10:50", { relatedAttempts: ["a-2"] })],
  })
  expect(traced("a-1", [memory]).lines).toEqual([
    "a-1 same file d-folder",
    "a-1 same step a-2",
    "a-1 same file a-3",
    "a-2 led to c-1",
  ])
})

const tester = memoryOf(
  {
    discoveries: [discovery("d-2", "11:00")],
    decisions: [decision("c-9", "11:00", { relatedDiscoveries: ["d-2", "d-apart"] })],
  },
  "tester",
)

test("a reference resolves to the agent's own entry, or another agent's if it has none", () => {
  const found = traced("c-9", [queue, tester]).linked.map(({ found }) => [found.agent, found.entry.id])
  expect(found).toEqual([
    ["tester", "d-2"],
    ["developer", "d-apart"],
  ])
})

test("an id that two agents have needs the agent's name; an unknown one is not found", () => {
  expect(() => traced("d-2", [queue, tester])).toThrow("d-2 is an entry of developer, and another of tester")
  expect(traced("d-2", [queue, tester], { agent: "tester" }).start).toMatchObject({ agent: "tester" })
  expect(() => traced("d-3", [queue, tester])).toThrow(DreyError)
  expect(() => traced("d-1", [queue, tester], { agent: "tester" })).toThrow("This session has no entry d-1 of tester")
})

test("circular references end the trace", () => {
  const circle = memoryOf({
    attempts: [
      attempt("a-1", "10:00", { relatedAttempts: ["a-2"] }),
      attempt("a-2", "10:00", { relatedAttempts: ["a-1"] }),
    ],
  })
  expect(traced("a-1", [circle]).lines).toEqual(["a-1 follows from a-2"])
})
