import { expect, test } from "vitest"
import { readNewPlan, readSiblingFile, type SiblingKind } from "./sibling-file.ts"

const head = (name: string) => `version: "1"
schema: session-${name}
sessionId: 20260302-080509-0a1b2c3d-prices
`

const context = `${head("context")}state: executing
task: Prices as integers
startedAt: "2026-03-02T08:05:09.730Z"
`
const conversation = `${head("conversation")}messages:
  - id: message-001
    timestamp: "2026-03-02T08:06:00.000Z"
    agent: developer
    role: assistant
    content: The feed has commas.
    usage: { input: 100, output: 12 }
`
const plan = `${head("plan")}plans:
  - id: plan-20260302-prices
    task: Prices as integers
    status: in_progress
    createdAt: "2026-03-02T08:06:00.000Z"
    steps:
      - { index: 0, description: Read the feed, status: complete }
      - { index: 1, description: Convert, status: pending, dependsOn: [0] }
    metadata: { complexity: 3 }
`
const metadata = `${head("metadata")}task: Prices as integers
status: active
createdAt: "2026-03-02T08:05:09.730Z"
agents: [developer]
counts: { discoveries: 0, attempts: 0, decisions: 0, failures: 0 }
tokens: { input: 0, output: 0 }
sizeBytes: 0
archived: false
`

test("each file is read, with defaults filled in", () => {
  expect(readSiblingFile("context", context)).toMatchObject({
    kind: "read",
    problems: [],
    writable: true,
    data: { state: "executing", maxIterations: 50, maxFailures: 3, totalFailures: 0, history: [] },
  })
  expect(readSiblingFile("conversation", conversation)).toMatchObject({
    problems: [],
    data: { messages: [{ id: "message-001", toolCalls: [], usage: { input: 100 } }] },
  })
  expect(readSiblingFile("plan", plan)).toMatchObject({
    problems: [],
    data: { plans: [{ version: 1, currentStepIndex: 0, steps: [{ affectedFiles: [] }, { dependsOn: [0] }] }] },
  })
  expect(readSiblingFile("metadata", metadata)).toMatchObject({ problems: [], data: { filesModified: [] } })
})

test.each<[SiblingKind, string, string, string]>([
  ["context", context.replace("executing", "sleeping"), "unknown-value state", "4:8"],
  ["context", `${context}lastError: {message: x, category: bad_luck}\n`, "unknown-value lastError.category", "7:35"],
  ["context", `${context}maxFailures: -1\n`, "wrong-type maxFailures", "7:14"],
  ["conversation", conversation.replace("    role: assistant\n", ""), "missing-field messages[0].role", "5:5"],
  ["plan", plan.replace("complexity: 3", "complexity: 11"), "wrong-type plans[0].metadata.complexity", "12:29"],
  ["plan", plan.replace("index: 1", "index: 0"), "duplicate-id plans[0].steps[1].index", "11:18"],
  ["metadata", metadata.replace("archived: false", "archived: no"), "wrong-type archived", "11:11"],
  ["metadata", context, "unknown-value schema", "2:9"],
])("a wrong %s.yaml is reported with its position", (kind, text, problem, place) => {
  const reading = readSiblingFile(kind, text)
  expect(reading.kind).toBe("invalid")
  expect(reading.problems.map(({ code, path, line, column }) => `${code} ${path} ${line}:${column}`)).toContain(
    `${problem} ${place}`,
  )
})

test.each<[SiblingKind, string, string]>([
  ["context", context.replace("2026-03-02T08", "today T08"), "invalid-timestamp startedAt"],
  ["context", `${context}lastError: {message: x, timestamp: now}\n`, "invalid-timestamp lastError.timestamp"],
  ["plan", plan.replace("dependsOn: [0]", "dependsOn: [0, 7]"), "unknown-reference plans[0].steps[1].dependsOn[1]"],
  ["metadata", `${metadata}endedAt: soon\n`, "invalid-timestamp endedAt"],
  ["metadata", metadata.replace("prices\n", "taxes\n"), "session-mismatch sessionId"],
])("in %s.yaml a warning does not prevent reading the file", (kind, text, problem) => {
  const reading = readSiblingFile(kind, text, { sessionId: "20260302-080509-0a1b2c3d-prices" })
  expect(reading.kind).toBe("read")
  expect(reading.problems.map(({ severity, code, path }) => `${severity} ${code} ${path}`)).toEqual([
    `warning ${problem}`,
  ])
})

test("two messages or plans with one id are an error", () => {
  const twice = (text: string, list: string) => text + text.slice(text.indexOf(`${list}:\n`) + list.length + 2)
  expect(readSiblingFile("conversation", twice(conversation, "messages"))).toMatchObject({
    kind: "invalid",
    problems: [{ code: "duplicate-id", path: "messages[1].id", line: 11 }],
  })
  expect(readSiblingFile("plan", twice(plan, "plans"))).toMatchObject({
    kind: "invalid",
    problems: [{ code: "duplicate-id", path: "plans[1].id" }],
  })
})

test("a newer version can be read and not changed", () => {
  expect(readSiblingFile("plan", plan.replace('"1"', '"2"'))).toMatchObject({ kind: "read", writable: false })
})

test("a step is a text, or a map with any fields of a step", () => {
  const source = `task: Move the shelves
steps:
  - Empty them
  - description: Carry them
    dependsOn: [0]
    owner: Rook
metadata:
  complexity: 2
`
  const reading = readNewPlan(source)
  expect(reading).toMatchObject({
    kind: "plan",
    plan: {
      task: "Move the shelves",
      steps: [{ description: "Empty them" }, { description: "Carry them", dependsOn: [0], owner: "Rook" }],
      metadata: { complexity: 2 },
    },
  })
})

test("JSON is read too", () => {
  expect(readNewPlan('{ "steps": ["Empty them"] }')).toMatchObject({ kind: "plan", plan: { steps: [{}] } })
})

test.each([
  ["", 1],
  ["steps: []\n", 1],
  ["- Empty them\n", 1],
  ["steps:\n  - Empty them\n  - status: pending\n", 3],
  ["steps:\n  - description: Empty them\n    status: soon\n", 2],
  ["task: 5\nsteps: [a]\n", 1],
  ["steps:\n  - a: [\n", 3],
])("%j is reported with its position", (source, line) => {
  expect(readNewPlan(source)).toMatchObject({ kind: "broken", problem: { line, message: expect.any(String) } })
})
