import { expect, test } from "vitest"
import { readMarkdown } from "./read-markdown.ts"
import { readMem0 } from "./read-mem0.ts"
import { readServerMemory } from "./read-server-memory.ts"

test("mem0's list is read bare, under results, under memories, and one record a line, each with its line", () => {
  const record = { id: "1", memory: "Prefers tabs", user_id: "ines", created_at: "2026-10-02T09:12:44-07:00" }
  const other = { id: "2", content: "Prefers dark lamps", state: "active", created_at: 1790000000, deleted_at: null }
  const gone = { id: "3", content: "Old", state: "deleted" }
  for (const document of [
    [record, other],
    { results: [record, other] },
    { user: {}, memories: [record, other, gone] },
  ]) {
    const store = readMem0("export.json", JSON.stringify(document, null, 2))
    expect(store?.memories.map(({ text }) => text)).toEqual(["Prefers tabs", "Prefers dark lamps"])
    expect(store?.memories[0]?.at).toBe(Date.parse("2026-10-02T16:12:44Z"))
    expect(store?.memories[1]?.line).toBeGreaterThan(store?.memories[0]?.line ?? 0)
  }
  const lines = readMem0("export.jsonl", `${JSON.stringify(record)}\n\n${JSON.stringify(other)}\n`)
  expect(lines?.memories.map(({ line }) => line)).toEqual([1, 3])
})

test("other JSON is no export of mem0", () => {
  for (const text of ['{"name":"drey"}', '{"results":[{"title":"x"}]}', "[1,2]", "not json", '[{"id":"1"}]'])
    expect(readMem0("other.json", text)).toBeUndefined()
})

test("every observation of the memory server is a memory, a line that cannot be read is told", () => {
  const text = [
    '{"type":"entity","name":"kane","entityType":"person","observations":["Prefers tabs","Works in Kiel"]}',
    '{"type":"relation","from":"kane","to":"lamp","relationType":"tends"}',
    '{"type":"entity","name":"lamp","entityType":"thing","observations":[]}',
    '{"type":"entity","name":"cut","obser',
  ].join("\n")
  const store = readServerMemory("memory.jsonl", text)
  expect(store?.memories.map(({ id, line, text: said }) => [id, line, said])).toEqual([
    ["kane", 1, "Prefers tabs"],
    ["kane", 1, "Works in Kiel"],
    ["lamp", 3, ""],
  ])
  expect(store?.broken).toEqual([{ path: "memory.jsonl", line: 4 }])
  expect(readServerMemory("package.json", '{\n"name": "x"\n}')).toBeUndefined()
})

test("items and paragraphs of Markdown are memories; headings, labels and front matter are none", () => {
  const text = `---
name: x
---
# Rules

**Style:**

- Use tabs
  also in JSON
- Never push
  on Fridays

    - nor on Saturdays

A paragraph of
two lines.

Run this:

\`\`\`bash
npm run mirror
\`\`\`
`
  expect(readMarkdown("MEMORY.md", text).memories.map(({ line, text: said }) => [line, said])).toEqual([
    [8, "Use tabs\nalso in JSON"],
    [10, "Never push\non Fridays\n- nor on Saturdays"],
    [15, "A paragraph of\ntwo lines."],
    [18, "Run this:\n```bash\nnpm run mirror\n```"],
  ])
})
