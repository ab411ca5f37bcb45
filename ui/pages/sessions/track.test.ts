import { expect, test } from "vitest"
import type { Attempt } from "../../../src/formats/session/agent-memory.ts"
import type { SessionDetail } from "../../../src/recall/browse/app-api.ts"
import { layOutTrack } from "./lay-out-track.ts"
import { trackAttempts } from "./track.ts"

const now = Date.parse("2026-03-01T10:00:00Z")

function attempt(id: string, minute: number, result: Attempt["result"], minutes?: number): Attempt {
  const timestamp = new Date(now + minute * 60_000).toISOString()
  const lists = { commands: [], subTasks: [], artifacts: [] }
  return { id, timestamp, description: id, result, ...lists, ...(minutes ? { duration_ms: minutes * 60_000 } : {}) }
}

function sessionWith(attempts: Record<string, Attempt[]>, solvedBy: SessionDetail["solvedBy"] = []): SessionDetail {
  const agents = Object.entries(attempts).map(([name, own]) => ({ name, memory: { attempts: own } }))
  return { agents, solvedBy } as unknown as SessionDetail
}

test("attempts of all agents are in the order in which they began, and one in progress lasts until now", () => {
  const session = sessionWith({
    developer: [attempt("a", -30, "failure", 5), attempt("c", -10, "in_progress")],
    tester: [attempt("b", -20, "success", 4)],
  })
  const tracked = trackAttempts(session, now)
  expect(tracked.map(({ key }) => key)).toEqual(["developer/a", "tester/b", "developer/c"])
  expect(tracked.at(-1)?.to).toBe(now)
})

test("a failure that a later attempt solved differs from an unsolved one", () => {
  const session = sessionWith(
    { developer: [attempt("a", -30, "failure"), attempt("b", -20, "failure"), attempt("c", -10, "success")] },
    [{ failed: "developer/a", by: "developer/c" }],
  )
  const [first, second, third] = trackAttempts(session, now)
  expect([first?.outcome, second?.outcome]).toEqual(["solved", "failure"])
  expect(first?.solvedBy).toBe("developer/c")
  expect(third?.solves).toEqual(["developer/a"])
})

test("attempts of one agent at the same time are drawn on lines of their own, within the picture", () => {
  const session = sessionWith({
    developer: [attempt("a", -60, "failure", 60), attempt("b", -30, "partial", 10), attempt("c", 0, "success")],
    tester: [attempt("d", -1, "success", 1)],
  })
  const { bars, lanes, lines } = layOutTrack(trackAttempts(session, now))
  expect(lines).toBe(3)
  expect(lanes.map(({ agent, lines }) => [agent, lines])).toEqual([
    ["developer", 2],
    ["tester", 1],
  ])
  for (const { left, width } of bars) expect(left >= 0 && left + width <= 100).toBe(true)
})
