import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { readAgentMemory } from "./agent-memory-file.ts"
import { agentMemoryJsonSchema } from "./session-json-schema.ts"
import { fullMemory, memoryHead } from "./test-session-memory.ts"

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true })
addFormats.default(ajv)
const accepts = ajv.compile(agentMemoryJsonSchema())

const entry = (fields: string) => `  - {timestamp: "2026-03-02T09:00:00Z", id: e1, ${fields}}\n`

test.each([
  ["with every field", fullMemory],
  ["with a head alone", memoryHead],
  ["of a later minor version", memoryHead.replace('"1"', '"1.2"')],
  ["whose version is a number", memoryHead.replace('"1"', "1")],
  [
    "with empty fields",
    `${memoryHead}discoveries:\ncontext:\nattempts:\n${entry("description: x, result: partial, approach: null")}`,
  ],
  ["with a type nobody knows", `${memoryHead}discoveries:\n${entry("type: hunch, content: x")}`],
  ["with fields nobody knows", `${memoryHead}mood: calm\ncontext: {weather: {today: rain}}\n`],
  ["with progress as a number", `${memoryHead}attempts:\n${entry("description: x, result: partial, progress: 60")}`],
])("a file %s is accepted by the schema and by the reader", (_, text) => {
  expect([accepts(parse(text)), accepts.errors]).toEqual([true, null])
  expect(readAgentMemory(text).kind).toBe("read")
})

test.each([
  ["without an agent", memoryHead.replace("agent: developer\n", "")],
  ["with an empty agent", memoryHead.replace("developer", '""')],
  ["of another kind", memoryHead.replace("agent-memory", "session-plan")],
  ["of a version that never was", memoryHead.replace('"1"', '"0"')],
  ["with a list that is none", `${memoryHead}discoveries: none\n`],
  ["with an entry without its id", `${memoryHead}discoveries:\n  - {timestamp: x, type: hunch, content: x}\n`],
  ["with a discovery without content", `${memoryHead}discoveries:\n${entry("type: hunch")}`],
  ["with an importance nobody knows", `${memoryHead}discoveries:\n${entry("type: x, content: x, importance: urgent")}`],
  ["with an attempt without result", `${memoryHead}attempts:\n${entry("description: x")}`],
  ["with a result nobody knows", `${memoryHead}attempts:\n${entry("description: x, result: done")}`],
  [
    "with a step that counts from 0",
    `${memoryHead}attempts:\n${entry("description: x, result: partial, planStep: 0")}`,
  ],
  ["with a text for a flag", `${memoryHead}decisions:\n${entry("type: skip, description: x, reversible: maybe")}`],
  [
    "with alternatives of no kind",
    `${memoryHead}decisions:\n${entry("type: skip, description: x, alternatives: [3]")}`,
  ],
  ["with a blocker that is no text", `${memoryHead}context: {blockers: [3]}\n`],
  ["with a history that counts nothing", `${memoryHead}history:\n  - {archivedAt: x, summary: x}\n`],
])("a file %s is refused by the schema and by the reader", (_, text) => {
  expect(accepts(parse(text))).toBe(false)
  expect(readAgentMemory(text).kind).not.toBe("read")
})

test("a newer version is not covered by this schema, although the reader accepts it", () => {
  const text = memoryHead.replace('"1"', '"2"')
  expect(accepts(parse(text))).toBe(false)
  expect(readAgentMemory(text)).toMatchObject({ kind: "read", writable: false })
})
