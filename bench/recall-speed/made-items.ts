import { createHash } from "node:crypto"
import { normalizeEntry } from "../../src/formats/entry-writer.ts"
import { timestampFromDate } from "../../src/formats/timestamp.ts"
import type { Item, OriginItems } from "../../src/index/index-store.ts"
import { writePayload } from "../../src/recall/payload.ts"
import type { MadeEntry } from "./made-entries.ts"

const perFile = 100

/** Entries as the index takes them in: in files of a hundred. */
export function toOrigins(entries: readonly MadeEntry[], firstFile: number): OriginItems[] {
  const files = Math.ceil(entries.length / perFile)
  return Array.from({ length: files }, (_, number) => {
    const key = `.squad/decisions/part-${firstFile + number}.md`
    const items = entries
      .slice(number * perFile, (number + 1) * perFile)
      .map((entry, index) => toItem(entry, key, index))
    return { key, stamp: "1", items }
  })
}

function toItem(entry: MadeEntry, path: string, index: number): Item {
  const { title, text, tags, author, at } = entry
  const timestamp = timestampFromDate(new Date(at))
  const read = normalizeEntry({
    type: "decision",
    timestamp,
    author,
    title,
    tags,
    scope: "team",
    summary: title,
    details: text,
  })
  const line = 1 + index * 20
  const id = createHash("sha256").update(`${path}\n${index}\n${entry.title}`).digest("hex").slice(0, 12)
  return {
    id,
    source: "decisions",
    type: "decision",
    class: "DECISION",
    load: "ALWAYS",
    ...entry,
    contributors: [],
    agent: undefined,
    scope: "team",
    pathPrefix: undefined,
    path,
    line,
    expires: undefined,
    governed: false,
    supersedes: [],
    supersededBy: [],
    payload: writePayload(
      { kind: "entry", read: { entry: read, id, line, endLine: line + 10, scopeExplicit: false, format: "sem" } },
      text,
    ),
  }
}
