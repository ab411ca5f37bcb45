import { readMarkdown, readServerMemory } from "../../../../src/memories/report/foreign-stores.ts"
import { readMem0 } from "../../../../src/memories/report/mem0.ts"
import type { ReadStore } from "../../../../src/memories/report/quality-report.ts"
import { reportOnStore } from "../../../../src/memories/report/quality-report.ts"
import { expectThat, type OpenReader, type Reader } from "../reader.ts"

const mem0Records = [
  '{"id":"a1","memory":"Prefers tabs","user_id":"ines","hash":"9f","created_at":"2026-01-02T09:12:44-07:00","metadata":{"tags":["x"]}}',
  '{"id":"a2","content":"The lens moves by 2025-03-01","state":"active","created_at":1760000000,"deleted_at":null}',
  '{"id":"a3","memory":null,"state":"deleted"}',
]

export const mem0Export: Reader = {
  name: "mem0-export",
  share: 40,
  examples: () => [
    `[\n${mem0Records.join(",\n")}\n]`,
    `{"results":[${mem0Records.join(",")}],"relations":[]}`,
    JSON.stringify({ user: {}, memories: mem0Records.map((record) => JSON.parse(record)) }, null, 2),
    `${mem0Records.join("\n")}\n`,
  ],
  open: () =>
    readerOf((text) => {
      const byLine = readMem0("export.jsonl", text)
      if (byLine) expectAll(byLine, text)
      return [readMem0("export.json", text), byLine]
    }),
}

function expectAll({ memories, broken, parts }: ReadStore, text: string): void {
  const deleted = Number(/(\d+) more marked as deleted/.exec(parts.join())?.[1] ?? 0)
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "")
  expectThat(memories.length + broken.length + deleted === lines.length, "each line is read, told as deleted or broken")
}

export const serverGraph: Reader = {
  name: "server-graph",
  share: 30,
  examples: () => [
    '{"type":"entity","name":"Kane","entityType":"person","observations":["Prefers tabs","Works in Kiel"]}\n{"type":"relation","from":"Kane","to":"Rook","relationType":"knows"}\n{"type":"entity","name":"Rook","entityType":"person","observations":[]}\n',
  ],
  open: () => readerOf((text) => [readServerMemory("memory.jsonl", text)]),
}

export const markdownNotes: Reader = {
  name: "markdown-notes",
  share: 40,
  examples: () => [
    "---\nname: x\n---\n# Rules\n\n**Style:**\n\n- Use tabs\n  also in JSON\n\n    - nor on Saturdays\n\nA paragraph of\ntwo lines.\n\nRun this:\n\n```bash\nnpm run mirror\n```\n",
    "# Memory\n\n1. The user said hello\n2. The freeze ends by March 3, 2025\n\n~~~\nconst lamp = 1;\n~~~\n@rules.md\n<!-- end -->\n",
  ],
  open: () => readerOf((text) => [readMarkdown("MEMORY.md", text)]),
}

/** Reads, and reports on what was read. */
function readerOf(read: (text: string) => (ReadStore | undefined)[]): OpenReader {
  const options = { root: undefined, now: Date.UTC(2026, 2, 2), oldAfterDays: 180, embed: () => undefined }
  return {
    async read(input) {
      const text = input.toString("utf8")
      const stores = read(text).filter((store) => store !== undefined)
      for (const { memories, broken } of stores) expectPlaces(text, [...memories, ...broken])
      return Promise.all(stores.map((store) => reportOnStore(store, options)))
    },
  }
}

/** A line by itself may end in any of the ways that some reader of JSON takes for an end. */
function expectPlaces(text: string, found: readonly { line: number }[]): void {
  const lines = text.split(/\r\n|[\r\n]/).length
  expectThat(
    found.every(({ line }) => line >= 1 && line <= lines),
    "what was found stands on a line of the text",
  )
}
