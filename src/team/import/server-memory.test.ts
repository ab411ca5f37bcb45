import { expect, test } from "vitest"
import { brokenLines, isServerMemory, readServerMemory } from "./server-memory.ts"

const lines = [
  { type: "entity", name: "Kane", entityType: "person", observations: ["Prefers tabs", "Works\nat night"] },
  { type: "entity", name: "Parser", entityType: "module", observations: ["Never throws"] },
  { type: "entity", name: "Nothing", entityType: "thing", observations: [] },
  { type: "relation", from: "Kane", to: "Parser", relationType: "maintains" },
  { type: "entity", name: "Kane", entityType: "person", observations: ["Prefers tabs", "Likes tea"] },
]
const text = lines.map((line) => JSON.stringify(line)).join("\n")

test("each entity with its observations and relations is one memory", () => {
  const [kane, parser, ...rest] = readServerMemory([{ path: "memory.jsonl", text }])
  expect(rest).toEqual([])
  expect(kane).toMatchObject({ type: "memory", title: "Kane", tags: ["person"], line: 1 })
  expect(kane?.details).toBe("- Prefers tabs\n- Works\n  at night\n- Likes tea\n\nRelations:\n\n- maintains Parser")
  expect(parser?.title).toBe("Parser: Never throws")
})

test("a damaged line is reported with its location, and the others are read", () => {
  const files = [{ path: "memory.jsonl", text: `{"type":\n${text}\n7\n` }]
  expect(readServerMemory(files).map(({ title }) => title)).toEqual(["Kane", "Parser: Never throws"])
  expect(brokenLines(files)).toEqual([
    { file: "memory.jsonl", line: 1, reason: "not a JSON object" },
    { file: "memory.jsonl", line: 7, reason: "not a JSON object" },
  ])
  expect(isServerMemory({ path: "memory.jsonl", text: `{"type":\n${text}` })).toBe(true)
})

test("its lines are distinguished from other JSON", () => {
  expect(isServerMemory({ path: "memory.json", text })).toBe(true)
  expect(isServerMemory({ path: "x.json", text: '{"version":"1.0"}' })).toBe(false)
})
