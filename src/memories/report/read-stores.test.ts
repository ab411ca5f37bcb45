import { expect, test } from "vitest"
import { readMarkdown, readServerMemory } from "./foreign-stores.ts"
import { readMem0 } from "./mem0.ts"

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
  for (const name of ["export.jsonl", "export.ndjson"]) {
    const lines = readMem0(name, `\uFEFF${JSON.stringify(record)}\n\n${JSON.stringify(other)}\n`)
    expect(lines?.memories.map(({ line }) => line)).toEqual([1, 3])
  }
})

test("a truncated mem0 export reports the line, and only complete records before it are memories", () => {
  const record = (id: number) => JSON.stringify({ id: `${id}`, memory: `Lamp ${id}` })
  const whole = `{"results": [\n${[record(1), record(2), record(3)].join(",\n")}\n]}`
  const until = (end: string) => readMem0("export.json", whole.slice(0, whole.indexOf(end)))
  const cut = { path: "export.json", reason: "not JSON; nothing was read from here on" }
  for (const end of ["mp 3", '"memory":"Lamp 3', ',\n{"id":"3"', '"}\n]}'])
    expect(until(end)).toMatchObject({ memories: [{ text: "Lamp 1" }, { text: "Lamp 2" }], broken: [cut] })
  expect(until("mp 3")?.broken).toEqual([{ ...cut, line: 4 }])
  expect(until("\n]}")).toMatchObject({ memories: { length: 3 }, broken: [cut] })
  expect(readMem0("export.json", whole)?.broken).toEqual([])
  expect(() => until("mp 1")).toThrow("export.json:2 is not JSON, and there is no complete record before it")
})

test("mem0 records without a text are reported by line, and the others are read", () => {
  const record = (id: number) => `{"id":"${id}","memory":"Lamp ${id}"}`
  const records = [record(1), '{"id":"2","memory":null}', "7", '["x"]', record(5), record(6)]
  for (const [path, text] of [
    ["export.json", `[${records.join(",\n")}]`],
    ["export.jsonl", records.join("\n")],
  ] as const) {
    const store = readMem0(path, text)
    expect(store?.memories.map(({ line }) => line)).toEqual([1, 5, 6])
    expect(store?.broken).toEqual([
      { path, line: 2, reason: "a record without text" },
      { path, line: 3, reason: "not a JSON object" },
      { path, line: 4, reason: "not a JSON object" },
    ])
  }
})

test("thousands of nested brackets are refused without a crash", () => {
  for (const text of [
    "[".repeat(100_000),
    `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    '{"results":'.repeat(50_000),
  ])
    expect(() => readMem0("deep.json", text)).toThrow("deep.json:1 is nested too deep")
})

test("a time out of range is ignored", () => {
  const record = (time: string) => readMem0("a.json", `[{"id":"1","memory":"Lamp","created_at":${time}}]`)
  for (const time of ["-1e300", "1e300", "1e400", '"soon"']) expect(record(time)?.memories[0]?.at).toBeUndefined()
  expect(record("1790000000")?.memories[0]?.at).toBe(1_790_000_000_000)
})

test("other JSON is not a mem0 export", () => {
  for (const text of ['{"name":"drey"}', '{"results":[{"title":"x"}]}', "[1,2]", "not json", '[{"id":"1"}]'])
    expect(readMem0("other.json", text)).toBeUndefined()
})

test("every observation of the memory server is a memory, an unreadable line is reported", () => {
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
  expect(store?.broken).toEqual([{ path: "memory.jsonl", line: 4, reason: "not a JSON object" }])
  expect(readServerMemory("package.json", '{\n"name": "x"\n}')).toBeUndefined()
})

test("an observation of the memory server that is not text is reported and skipped", () => {
  const nested = `${"[".repeat(50_000)}${"]".repeat(50_000)}`
  const text = [
    `{"type":"entity","name":"kane","observations":["Prefers tabs",{"text":"x"},${nested}]}`,
    '{"type":"entity","name":"lamp","observations":"bright"}',
    '{"type":"note"}',
  ].join("\n")
  const store = readServerMemory("memory.jsonl", text)
  expect(store?.memories.map(({ text: said }) => said)).toEqual(["Prefers tabs"])
  expect(store?.broken.map(({ line, reason }) => `${line} ${reason}`)).toEqual([
    "1 an observation is not a text",
    "1 an observation is not a text",
    "2 observations is not a list",
    "3 neither an entity nor a relation",
  ])
})

test("an entity may have more observations than a function call has arguments", () => {
  const observations = Array.from({ length: 200_000 }, (_, at) => `Lamp ${at}`)
  const text = JSON.stringify({ type: "entity", name: "lamps", observations })
  expect(readServerMemory("memory.jsonl", text)?.memories).toHaveLength(200_000)
})

test("items and paragraphs of Markdown are memories; headings, labels and front matter are not", () => {
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
