import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { DataSet } from "./data.ts"

type Stored = {
  memories: { id: string; content: string; memory_type: string; created_at_iso: string }[]
  queries: { id: string; category: string; question: string; expected_tags: string[] }[]
}

/** Thirty memories of one developer; five of the questions nothing answers. Too small to split, so all of it is for testing. */
export function loadDevbench(folder: string): DataSet {
  const stored: Stored = JSON.parse(readFileSync(join(folder, "devbench", "devbench_dataset.json"), "utf8"))
  const documents = stored.memories.map(({ id, content, memory_type, created_at_iso }, position) => {
    return { id, title: "", text: content, at: Date.parse(created_at_iso), origin: memory_type, position }
  })
  const queries = stored.queries.map(({ id, category, question, expected_tags }) => {
    const answerable = expected_tags.length > 0
    return { id, store: "devbench", kind: category, text: question, relevant: expected_tags, answerable }
  })
  return { name: "devbench", stores: [{ name: "devbench", documents, split: "test" }], queries }
}
