import { resolve } from "node:path"
import type { DataSet, Document, Query, Split, Store } from "./data.ts"
import { readLines } from "./data-records.ts"

/** The two invented teams; what is tried out is tried on the first one only. */
const splits: Record<string, Split> = { quaybook: "development", shoebox: "test" }

/** An id is `team/file#number`: the file is the decisions or one agent's learnings, the number the place in it. */
type StoredRecord = { id: string; title: string; date: string; body: string }

type StoredQuery = { id: string; store: string; kind: string; text: string; relevant: string[]; stale?: string[] }

/** Decisions and learnings of two invented teams and questions about them, each written for this repository. */
export function loadOwn(): DataSet {
  const folder = resolve("bench/recall/own")
  const records = readLines<StoredRecord>(`${folder}/documents.jsonl`)
  const queries = readLines<StoredQuery>(`${folder}/queries.jsonl`)
  const stores = Object.entries(splits).map(([name, split]): Store => {
    const own = records.filter(({ id }) => id.startsWith(`${name}/`))
    return { name, split, documents: own.map(toDocument) }
  })
  return { name: "own", stores, queries: queries.map((query): Query => ({ ...query, answerable: true })) }
}

function toDocument({ id, title, date, body }: StoredRecord): Document {
  const [origin = "", number = ""] = id.split("#")
  return { id, title, text: body, at: Date.parse(date), origin, position: Number(number) }
}
