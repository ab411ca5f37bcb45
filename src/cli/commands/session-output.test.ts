import { expect, test } from "vitest"
import type { EntryTrace, SessionEntry } from "../../sessions/session-api.ts"
import { attemptState, traceText } from "./session-output.ts"

function attempt(agent: string, id: string, description: string): Extract<SessionEntry, { kind: "attempt" }> {
  const lists = { commands: [], subTasks: [], artifacts: [] }
  const entry = { id, timestamp: "2026-02-14T09:15:00.000Z", description, result: "failure" as const, ...lists }
  return { kind: "attempt", agent, archived: false, entry }
}

test("a trace is a tree, even if two agents have an entry with the same id", () => {
  const [start, twin, third, fourth] = [
    attempt("rook", "attempt-001", "Lift"),
    attempt("kane", "attempt-001", "Push"),
    attempt("rook", "attempt-002", "Pull"),
    attempt("kane", "attempt-002", "Roll"),
  ]
  const link = (from: SessionEntry, found: SessionEntry): EntryTrace["linked"][number] => {
    return { from: from.entry.id, fromAgent: from.agent, relation: "led to", found }
  }
  const trace = { start, linked: [link(start, twin), link(start, third), link(twin, fourth)], missing: [] }
  expect(traceText(trace).split("\n")).toEqual([
    "attempt-001 (rook)  failure: Lift",
    "  led to attempt-001 (kane)  failure: Push",
    "    led to attempt-002 (kane)  failure: Roll",
    "  led to attempt-002 (rook)  failure: Pull",
  ])
})

test("missing entries are named", () => {
  const trace = {
    start: attempt("rook", "attempt-001", "Lift"),
    linked: [],
    missing: [{ from: "attempt-001", id: "x" }],
  }
  expect(traceText(trace)).toMatch(/no links\nattempt-001 refers to x, which does not exist\.$/)
})

test("the state of an attempt is one line, whatever its texts contain", () => {
  const { entry } = attempt("rook", "attempt-001", "Lift")
  expect(attemptState({ ...entry, error: "\n\u001b[31mIt tips\nover" })).toBe("attempt-001: failure, [31mIt tips")
  expect(attemptState({ ...entry, result: "in_progress", progress: 60 })).toBe("attempt-001: in progress, 60")
})
