import { isDeepStrictEqual } from "node:util"
import type { Entry } from "../../formats/entry.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { classOfType } from "../memory/load-index.ts"
import type { Work } from "../tidy/work.ts"
import { noteChange, type Planned, putRecord } from "./change-item.ts"
import { fromMarkdown, toMarkdown } from "./entry-text.ts"
import type { EntryDesk, FoundEntry } from "./find-entry.ts"
import { rewriteEntry } from "./rewrite-entry.ts"

/** New texts for an entry, already checked against governance. */
export type NewWords = { title?: string | undefined; markdown?: string | undefined; tags?: string[] | undefined }

/** Plans a rewritten entry in the same place; `reason` goes to the audit log, `summary` to the user. */
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

export const wouldChangeOthers = "the entries around it would change; edit the file by hand"

/** The entry with new texts; omitted fields stay. */
export function withWords(entry: Entry, { title, markdown, tags }: NewWords): Entry {
  const named = { ...entry, title: title ?? entry.title, tags: tags ?? entry.tags }
  const { title: newTitle, tags: newTags } = normalizeEntry(named)
  // A summary that only repeats the title keeps repeating it.
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
