import { isDeepStrictEqual } from "node:util"
import type { Entry } from "../../formats/entry.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { classOfType } from "../memory/load-index.ts"
import type { Work } from "../tidy/work.ts"
import { noteChange, type Planned, putRecord } from "./change-item.ts"
import { fromMarkdown, toMarkdown } from "./entry-text.ts"
import type { EntryDesk, FoundEntry } from "./find-entry.ts"
import { rewriteEntry } from "./rewrite-entry.ts"

/** Other words for an entry, each through the gate already. */
export type NewWords = { title?: string | undefined; markdown?: string | undefined; tags?: string[] | undefined }

/** Plans an entry with other words in its place; `reason` is the audit's, the rest is said to the person. */
export function planEdit(
  work: Work,
  desk: EntryDesk,
  found: FoundEntry,
  entry: Entry,
  said: { summary: string; reason: string },
): Planned {
  const { own, file, id, record } = found
  if (isDeepStrictEqual(entry, own.entry)) return { kind: "planned", id, summary: "Nothing to change" }
  if (!rewriteEntry(work, found, entry, desk)) return { kind: "refused", reason: wouldChangeOthers }
  if (record) putRecord(work, record, { title: entry.title })
  const memoryClass = record?.class ?? classOfType[entry.type]
  noteChange(work, desk, { action: "write", entry, id, class: memoryClass, path: file.path, reason: said.reason })
  return { kind: "planned", id, summary: said.summary }
}

export const wouldChangeOthers = "what stands around it in the file would read differently; change it there"

/** The entry with other words; what they do not name stays as it was read. */
export function withWords(entry: Entry, { title, markdown, tags }: NewWords): Entry {
  const named = { ...entry, title: title ?? entry.title, tags: tags ?? entry.tags }
  const { title: newTitle, tags: newTags } = normalizeEntry(named)
  // A summary that only repeats the title goes on doing so.
  const summary = entry.summary === entry.title ? newTitle : entry.summary
  const renamed: Entry = { ...entry, title: newTitle, tags: tags === undefined ? entry.tags : newTags, summary }
  if (markdown === undefined || markdown.trim() === toMarkdown(entry)) return renamed
  const { details: _, rationale: __, ...rest } = renamed
  const body = normalizeEntry({ ...rest, ...fromMarkdown(markdown, newTitle) })
  return {
    ...rest,
    summary: body.summary,
    ...(body.details === undefined ? {} : { details: body.details }),
    ...(body.rationale === undefined ? {} : { rationale: body.rationale }),
  }
}
