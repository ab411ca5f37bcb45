import type { Entry } from "../../formats/entry.ts"
import { derivedId } from "../../formats/entry-id.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { readEntries } from "../../formats/read-entries.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { timestampFromDate } from "../../formats/timestamp.ts"
import { writeEntry } from "../../formats/write-entry.ts"
import { alreadyStored, generated } from "../../governance/cleared.ts"
import { appendEntries } from "../append-entries.ts"
import { freePath } from "../free-path.ts"
import { markEntry } from "../mark-entry.ts"
import { classOfType } from "../memory/load-index.ts"
import { pathBelow } from "../memory/memory-index.ts"
import { mergeOne } from "../merge/merge-one.ts"
import { contextOf } from "../read-store.ts"
import type { Work } from "../tidy/work.ts"
import { noteChange, type Planned, putRecord } from "./change-item.ts"
import { wouldChangeOthers } from "./edit-entry.ts"
import { fromMarkdown } from "./entry-text.ts"
import type { EntryDesk, FoundEntry } from "./find-entry.ts"

/** Texts that passed the governance check. */
export type Successor = { title: string; markdown: string; reason: string | undefined }

/** Plans a new entry that supersedes an old one, which is marked and stays. */
export function planSupersede(work: Work, desk: EntryDesk, found: FoundEntry, words: Successor): Planned {
  const entry = successorOf(found, desk.user, words, work.now)
  const planned = found.own.source === "decisions" ? decide(work, desk, entry) : append(work, desk, found, entry)
  if (planned.kind === "refused") return planned
  const { record } = found
  const { id } = planned
  if (record && id !== null)
    putRecord(work, record, { status: "superseded", loadGuidance: "ARCHIVE", supersededBy: id })
  return planned
}

function successorOf({ own, id }: FoundEntry, user: string, words: Successor, now: Date): Entry {
  const { type, scope, tags } = own.entry
  const body = fromMarkdown(words.markdown, words.title)
  const rationale = [body.rationale, words.reason ?? ""].filter((part) => part !== "").join("\n\n")
  return normalizeEntry({
    ...{ type, scope, tags, author: user, title: words.title, supersedes: [id] },
    ...{ ...body, rationale },
    timestamp: timestampFromDate(now),
  })
}

/** Like every decision, a successor is merged from the inbox, in the same change. */
function decide(work: Work, { squadUi }: EntryDesk, entry: Entry): Planned {
  const path = freePath(work.draft, `decisions/inbox/${derivedId(entry)}.md`)
  work.draft.put(path, generated(writeEntry(entry)))
  const outcome = mergeOne(work, path, { acceptReview: true, squadUi })
  if (outcome.kind === "refused") return outcome
  if (outcome.kind === "copy") return { kind: "refused", reason: `${outcome.of} already has this text` }
  return { kind: "planned", id: outcome.id, summary: `Replaced by “${entry.title}”` }
}

/** A successor in an agent's history is added to the same file. */
function append(work: Work, desk: EntryDesk, { own, file }: FoundEntry, entry: Entry): Planned {
  const { draft, roster, now } = work
  const path = pathBelow(file)
  const context = contextOf(file, roster, now)
  const id = derivedId(entry)
  const marked = markEntry(file.content.text, context, own.id, { field: "supersededBy", value: id, title: entry.title })
  const lineEnd = dominantLineEnd(marked)
  const text = appendEntries(marked, [writeEntry(entry, { lineEnd, squadUi: desk.squadUi })], context)
  const ids = (each: string) => readEntries(each, context).entries.map((read) => read.id)
  if ([...ids(file.content.text), id].sort().join() !== ids(text).sort().join())
    return { kind: "refused", reason: wouldChangeOthers }
  draft.put(path, alreadyStored(text))
  const reason = "Written by a person in the place of another"
  noteChange(work, desk, { action: "write", entry, id, class: classOfType[entry.type], path: file.path, reason })
  return { kind: "planned", id, summary: `Replaced by “${entry.title}”` }
}
