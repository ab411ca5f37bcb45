import fc from "fast-check"
import { expect, test } from "vitest"
import { parse, stringify } from "yaml"
import { readAgentMemory } from "./agent-memory-file.ts"
import type { SessionProblem } from "./session-problem.ts"
import { fullMemory, memoryHead } from "./test-session-memory.ts"

function read(text: string, expected?: Parameters<typeof readAgentMemory>[1]) {
  const reading = readAgentMemory(text, expected)
  if (reading.kind !== "read") throw new Error(JSON.stringify(reading.problems))
  return reading
}

/** `error wrong-type attempts[0].planStep 12:15`, without the message. */
function told(text: string, expected?: Parameters<typeof readAgentMemory>[1]): string[] {
  return readAgentMemory(text, expected).problems.map(
    ({ severity, code, path, line, column }) => `${severity} ${code} ${path} ${line}:${column}`,
  )
}

const discovery = (fields: string) =>
  `${memoryHead}discoveries:\n  - {id: d1, timestamp: "2026-03-02T09:00:00Z", type: code_pattern, content: x, ${fields}}\n`
const attempt = (fields: string) =>
  `${memoryHead}attempts:\n  - {id: a1, timestamp: "2026-03-02T09:00:00Z", description: x, ${fields}}\n`

test("a file with every field is read without problems", () => {
  const { memory, problems, writable } = read(fullMemory, { sessionId: "20260302-080509-0a1b2c3d-prices" })
  expect(problems).toEqual([])
  expect(writable).toBe(true)
  expect(memory.discoveries.map(({ importance }) => importance)).toEqual(["high", "medium"])
  expect(memory.discoveries[1]).toMatchObject({ relatedFiles: [], actionItems: [], ticket: "SHOP-7" })
  expect(memory.attempts[1]).toMatchObject({ result: "in_progress", progress: "60%", currentIssue: null })
  expect(memory.context).toMatchObject({ taskContext: { currency: "EUR" }, assumptions: [] })
})

test("alternatives are read as maps and as texts, whose reason is in brackets", () => {
  expect(read(fullMemory).memory.decisions[0]?.alternatives).toEqual([
    { name: "Convert in the table", reason: "Two importers write to it" },
    { name: "Convert on display", reason: "too late" },
    { name: "Leave it", reason: "" },
  ])
})

test("a header alone is an empty memory", () => {
  expect(read(memoryHead).memory).toMatchObject({ discoveries: [], attempts: [], decisions: [], history: [] })
})

test("empty fields count as missing", () => {
  const { memory, problems } = read(`${memoryHead}updatedAt:
discoveries:
  - id: d1
    timestamp: "2026-03-02T09:00:00Z"
    type: code_pattern
    importance:
    content: x
    summary:
    relatedFiles:
attempts:
context:
`)
  expect(problems).toEqual([])
  expect(memory.discoveries[0]).toMatchObject({ importance: "medium", summary: undefined, relatedFiles: [] })
  expect(memory.context).toBeUndefined()
})

test("every problem is reported at once, with its position and a hint", () => {
  const reading = readAgentMemory(`version: "1"
schema: agent-memory
sessionId: s
createdAt: "2026-03-02T08:00:00Z"
discoveries:
  - id: 7
    timestamp: "2026-03-02T09:00:00Z"
    type: code_pattern
    content:
    relatedFiles: src/a.ts
attempts:
  - id: a1
    timestamp: "2026-03-02T09:00:00Z"
    description: x
    planStep: 0
    result: done
    subTasks:
      - description: y
  - later
decisions: none
`)
  expect(reading.kind).toBe("invalid")
  const messages = reading.problems.map(({ line, path, code, message }) => `${line} ${path} ${code}: ${message}`)
  expect(messages).toEqual([
    "1 agent missing-field: This field is missing: write a text.",
    '6 discoveries[0].id wrong-type: This is `7`: write a text. In quotes it is one: "7".',
    "9 discoveries[0].content missing-field: This field is empty: write a text.",
    '10 discoveries[0].relatedFiles wrong-type: This is a text: write a list, each item on a line that begins with "- ".',
    "15 attempts[0].planStep wrong-type: This is `0`: write a whole number, 1 or more.",
    '16 attempts[0].result unknown-value: "done" is not a valid value for this field: write one of success, failure, partial, in_progress.',
    "18 attempts[0].subTasks[0].status missing-field: This field is missing: write one of pending, in_progress, complete, failed, skipped.",
    "19 attempts[1] wrong-type: This is a text: write a map of fields.",
    '20 decisions wrong-type: This is a text: write a list, each item on a line that begins with "- ".',
  ])
})

test("a missing field is reported where the entry begins", () => {
  const text = `${memoryHead}attempts:\n  - id: a1\n    timestamp: "2026-03-02T09:00:00Z"\n    description: x\n`
  expect(told(text)).toEqual(["error missing-field attempts[0].result 7:5"])
})

test.each([
  ["importance: urgent", "unknown-value", "importance", "write one of low, medium, high, critical."],
  ["summary: [a]", "wrong-type", "summary", "write a text."],
  ["actionItems: [1]", "wrong-type", "actionItems[0]", 'In quotes it is one: "1".'],
])("a discovery with %s is invalid", (fields, code, path, words) => {
  const [problem, ...others] = readAgentMemory(discovery(fields)).problems
  expect(problem).toMatchObject({ severity: "error", code, path: `discoveries[0].${path}` })
  expect(problem?.message).toContain(words)
  expect(others).toEqual([])
})

test.each([
  ["result: success, progress: 120", "progress", "a number from 0 to 100"],
  ["result: success, progress: true", "progress", 'a text such as "60%"'],
  ["result: success, iterations: 1.5", "iterations", "a whole number, 0 or more"],
  ["result: success, tokensUsed: 12", "tokensUsed", "a map of fields"],
  ["result: success, artifacts: [{path: 3}]", "artifacts[0].path", "In quotes it is one"],
])("an attempt with %s is invalid", (fields, path, words) => {
  const [problem] = readAgentMemory(attempt(fields)).problems
  expect(problem).toMatchObject({ severity: "error", code: "wrong-type", path: `attempts[0].${path}` })
  expect(problem?.message).toContain(words)
})

test("values outside an open list are kept, with a warning that names the known ones", () => {
  const { memory, problems } = read(discovery("note: 1").replace("code_pattern", "hunch"))
  expect(memory.discoveries[0]?.type).toBe("hunch")
  expect(problems).toMatchObject([{ severity: "warning", code: "unknown-value", path: "discoveries[0].type" }])
  expect(problems[0]?.message).toContain("codebase_structure, dependency_check")
  expect(told(attempt("result: success, artifacts: [{path: a.ts, action: rename}]"))).toEqual([
    expect.stringContaining("warning unknown-value attempts[0].artifacts[0].action"),
  ])
})

test("two entries of a section with one id are an error, of two sections are not", () => {
  const entry = (id: string) =>
    `  - {id: ${id}, timestamp: "2026-03-02T09:00:00Z", type: skip, description: x, content: x}\n`
  const twice = `${memoryHead}discoveries:\n${entry("one")}${entry("two")}${entry("one")}`
  expect(readAgentMemory(twice).kind).toBe("invalid")
  const [problem] = readAgentMemory(twice).problems.filter(({ code }) => code === "duplicate-id")
  expect(problem).toMatchObject({ path: "discoveries[2].id", line: 9 })
  expect(problem?.message).toContain("discoveries[0]")
  expect(readAgentMemory(`${memoryHead}discoveries:\n${entry("one")}decisions:\n${entry("one")}`).kind).toBe("read")
})

test("an unresolved reference gives a warning, one into the archive does not", () => {
  const text = `${memoryHead}decisions:
  - id: decision-001
    timestamp: "2026-03-02T09:00:00Z"
    type: skip
    description: x
    relatedDiscoveries: [discovery-001, discovery-002, discovery-003]
    relatedAttempts: [decision-001]
history:
  - {archivedAt: "2026-03-02T09:30:00Z", counts: {discoveries: 1, attempts: 0, decisions: 0}, summary: x, ids: [discovery-002]}
`
  expect(told(text, { known: new Set(["discovery-001"]) })).toEqual([
    expect.stringContaining("warning unknown-reference decisions[0].relatedDiscoveries[2] 11:"),
    expect.stringContaining("warning unknown-reference decisions[0].relatedAttempts[0] 12:"),
  ])
})

test("an invalid time gives a warning, and so does an entry older than its file", () => {
  const text = `${memoryHead}updatedAt: yesterday
discoveries:
  - {id: d1, timestamp: "2026-02-30T09:00:00Z", type: code_pattern, content: x}
  - {id: d2, timestamp: "2026-03-02T08:05:09.729Z", type: code_pattern, content: x}
  - {id: d3, timestamp: "2026-03-02T10:05:09.730+02:00", type: code_pattern, content: x}
`
  expect(told(text)).toEqual([
    expect.stringContaining("warning invalid-timestamp updatedAt 6:"),
    expect.stringContaining("warning invalid-timestamp discoveries[0].timestamp 8:"),
    expect.stringContaining("warning older-than-file discoveries[1].timestamp 9:"),
  ])
})

test.each([
  ["result: in_progress, progress: 100", ["progress"]],
  ["result: success, progress: 60%", ["progress"]],
  ["result: success, status: In-Progress", ["status"]],
  ["result: failure, status: passed, progress: 30", ["status"]],
  ["result: in_progress, status: done, progress: '100 %'", ["status", "progress"]],
  ["result: success, status: complete, progress: 100", []],
  ["result: partial, status: working, progress: 60", []],
  ["result: failure, status: constructor, progress: half of it", []],
])("an attempt with %s: a contradiction to the result is reported", (fields, contradictions) => {
  const { problems } = read(attempt(fields))
  expect(problems.map(({ code, path }) => [code, path])).toEqual(
    contradictions.map((field) => ["contradiction", `attempts[0].${field}`]),
  )
})

test("too long summaries and artifacts give warnings", () => {
  expect(told(discovery(`summary: ${"é".repeat(160)}`))).toEqual([])
  expect(told(discovery(`summary: ${"é".repeat(161)}`))).toEqual([
    expect.stringContaining("warning too-long discoveries[0].summary"),
  ])
  const withContent = (content: string) => attempt(`result: success, artifacts: [{path: a, content: ${content}}]`)
  expect(told(withContent("x".repeat(2048)))).toEqual([])
  expect(told(withContent("é".repeat(1025)))).toEqual([
    expect.stringContaining("warning too-long attempts[0].artifacts[0].content"),
  ])
})

test("another session's file gives a warning", () => {
  expect(told(memoryHead, { sessionId: "20260302-080509-0a1b2c3d-prices" })).toEqual([])
  expect(told(memoryHead, { sessionId: "20260302-080509-0a1b2c3d-taxes" })).toEqual([
    "warning session-mismatch sessionId 3:12",
  ])
})

test("the size limit of a file depends on how long the session lasted", () => {
  const lasting = (hours: number, kilobytes: number) =>
    `${memoryHead}# ${"x".repeat(kilobytes * 1000)}\ndiscoveries:\n  - {id: d, timestamp: "2026-03-02T${8 + hours}:30:00Z", type: code_pattern, content: x}\n`
  const warned = (text: string, archive = false) =>
    read(text.replace("T9:", "T09:"), { archive }).problems.map(
      ({ code, path, message }) => `${code} ${path}${message}`,
    )
  expect(warned(lasting(1, 49))).toEqual([])
  expect(warned(lasting(1, 51))).toEqual([expect.stringMatching(/^too-large The file is 52 KB.*less than 2 hours/)])
  expect(warned(lasting(3, 99))).toEqual([])
  expect(warned(lasting(3, 101))).toEqual([expect.stringContaining('with "drey session archive"')])
  expect(warned(lasting(1, 101))).toEqual([expect.stringContaining('with "drey session archive"')])
  expect(warned(lasting(3, 101), true)).toEqual([])
})

const withVersion = (version: string) => memoryHead.replace('"1"', version)

test("versions 1 and 1.x are read unchanged, a number with a warning", () => {
  expect(told(withVersion('"1.3"'))).toEqual([])
  expect(read(withVersion("1")).memory.version).toBe("1")
  expect(told(withVersion("1"))).toEqual(["warning version-not-text version 1:10"])
})

test("a newer version is read as far as possible and must not be changed", () => {
  const reading = read(`${withVersion('"2"')}moods: [calm]\n`)
  expect(reading).toMatchObject({ writable: false, memory: { agent: "developer", moods: ["calm"] } })
  expect(reading.problems).toMatchObject([{ severity: "error", code: "newer-version", path: "version", line: 1 }])
  const changed = readAgentMemory(`${withVersion('"2"')}discoveries: {d1: {}}\n`)
  expect(changed.kind).toBe("unsupported")
  expect(changed.problems.map(({ code }) => code)).toEqual(["newer-version", "wrong-type"])
})

test("an unknown version cannot be read, and a missing version is a missing field", () => {
  for (const version of ['"0"', '"one"', '""', "-1"])
    expect(readAgentMemory(withVersion(version)), version).toMatchObject({ kind: "unsupported" })
  expect(readAgentMemory(withVersion("true"))).toMatchObject({ kind: "invalid", problems: [{ code: "wrong-type" }] })
  expect(told(memoryHead.replace(/^.*\n/, ""))).toEqual(["error missing-field version 1:1"])
})

test("another kind of file is recognised by its schema", () => {
  expect(readAgentMemory(memoryHead.replace("agent-memory", "session-plan")).problems).toMatchObject([
    { code: "unknown-value", path: "schema", message: expect.stringContaining('write "agent-memory".') },
  ])
})

test("an unchanged entry is not read again, and is frozen", () => {
  const [before] = read(fullMemory).memory.discoveries
  const [after] = read(fullMemory.replace("parseFloat stops at the comma.", "Never parseFloat.")).memory.discoveries
  expect(after).toBe(before)
  expect(Object.isFrozen(after)).toBe(true)
  expect(Object.isFrozen(after?.relatedFiles)).toBe(true)
})

test("whatever replaces a value, the result is a value or problems with a position", () => {
  const whole: unknown = parse(fullMemory)
  const garbage = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(-1, 1e300, "", " ", "__proto__", "constructor"),
  )
  const changes = fc.array(fc.tuple(fc.constantFrom(...pathsIn(whole)), garbage), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(changes, (changes) => {
      const value = changes.reduce((changed, [path, put]) => replaceAt(changed, path, put), whole)
      const { kind, problems } = readAgentMemory(stringify(value, { aliasDuplicateObjects: false }))
      const isTold = ({ line, column, message }: SessionProblem) =>
        line >= 1 && column >= 1 && !/Invalid|undefined|\[object/.test(message)
      expect(problems.filter((problem) => !isTold(problem))).toEqual([])
      expect(kind === "read" || problems.some(({ severity }) => severity === "error")).toBe(true)
    }),
    { numRuns: Math.ceil(Number(process.env.DREY_PROPERTY_RUNS ?? 3_000) / 10) }, // the whole file is read each time
  )
})

function pathsIn(value: unknown, path: string[] = []): string[][] {
  const below = typeof value === "object" && value !== null ? Object.entries(value) : []
  return [path, ...below.flatMap(([key, part]) => pathsIn(part, [...path, key]))]
}

function replaceAt(value: unknown, [key, ...rest]: string[], put: unknown): unknown {
  if (key === undefined || typeof value !== "object" || value === null) return put
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? replaceAt(item, rest, put) : item))
  return { ...value, [key]: replaceAt((value as Record<string, unknown>)[key], rest, put) }
}
