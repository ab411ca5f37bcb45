import { expect, test } from "vitest"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { nextId } from "./next-id.ts"

function memoryWith(ids: string[], archived: string[] = []): AgentMemory {
  const head = { version: "1", schema: "agent-memory" as const, sessionId: "s", agent: "a", createdAt: "" }
  const attempts = ids.map((id) => ({ id }) as AgentMemory["attempts"][number])
  const history = [{ ids: archived } as AgentMemory["history"][number]]
  return { ...head, discoveries: [], attempts, decisions: [], history, context: undefined }
}

test.each([
  ["the first of its section", [], [], undefined, "attempt-001"],
  ["one more than the highest, not the first gap", ["attempt-001", "attempt-007"], [], undefined, "attempt-008"],
  ["ids of a person's own are passed over", ["attempt-oauth", "try-900"], [], undefined, "attempt-001"],
  ["what the history names is taken", ["attempt-002"], ["attempt-011"], undefined, "attempt-012"],
  ["what the archive holds is taken", [], [], "attempts:\n  - id: 'attempt-1203'\n", "attempt-1204"],
  ["in whatever style it is written", [], [], 'attempts: [{"id": "attempt-030"}]', "attempt-031"],
])("%s", (_, ids, archived, archive, expected) => {
  expect(nextId("attempts", memoryWith(ids, archived), archive)).toBe(expected)
})
