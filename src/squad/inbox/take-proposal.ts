import type { Entry } from "../../formats/entry.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { writeEntry } from "../../formats/write-entry.ts"
import { alreadyStored, generated } from "../../governance/cleared.ts"
import type { Planned } from "../edit/change-item.ts"
import { planEdit } from "../edit/edit-entry.ts"
import { toMarkdown } from "../edit/entry-text.ts"
import type { EntryDesk, FoundEntry } from "../edit/find-entry.ts"
import { freePath } from "../free-path.ts"
import { auditTitle } from "../memory/memory-context.ts"
import { pathBelow } from "../memory/memory-index.ts"
import { mergeOne } from "../merge/merge-one.ts"
import { missingNames } from "../merge/place-proposals.ts"
import { pinned } from "../merge/read-inbox.ts"
import { updateIndex } from "../merge/update-index.ts"
import type { Work } from "../tidy/work.ts"
import type { Waiting } from "./read-waiting.ts"

/** Plans the merge of one proposal with the texts of `entry`; other proposals in its file stay in the inbox. */
export function planAcceptance(work: Work, desk: EntryDesk, waiting: Waiting, entry: Entry): Planned {
  const path = setOut(work, waiting, entry)
  const outcome = mergeOne(work, path, { acceptReview: true, squadUi: desk.squadUi })
  if (outcome.kind === "refused") return outcome
  for (const record of work.audit) record.reason = `${record.reason}; accepted by ${auditTitle(desk.user, "a person")}`
  if (outcome.kind === "merged") return { kind: "planned", id: outcome.id, summary: `Accepted “${entry.title}”` }
  return { kind: "planned", id: outcome.of, summary: `“${entry.title}” already exists` }
}

/** Plans appending a proposal's text to an active entry; its author becomes a contributor. */
export function planAddition(work: Work, desk: EntryDesk, waiting: Waiting, into: FoundEntry): Planned {
  const { entry: own } = into.own
  const { entry } = waiting
  const before = own.details ?? (own.summary === own.title ? "" : own.summary)
  const section = `#### ${entry.title} — ${entry.author}\n\n${toMarkdown(entry)}`.trim()
  const { details = "" } = normalizeEntry({ ...own, details: [before, section].filter(Boolean).join("\n\n") })
  const names = missingNames(own, [entry.author, ...entry.contributors])
  const grown = { ...own, details, contributors: [...own.contributors, ...names] }
  const summary = `Added “${entry.title}” to “${own.title}”`
  takeOut(work, waiting)
  updateIndex(work, [{ memoryId: waiting.memoryId, from: waiting.path, to: pathBelow(into.file), anchor: into.id }])
  return planEdit(work, desk, into, grown, { summary, reason: "Merged from the inbox into this entry" })
}

/** Removes the proposal from the inbox, and its file if it becomes empty. */
export function takeOut({ draft }: Work, { path, rest }: Waiting): void {
  draft.put(path, rest.trim() === "" ? null : alreadyStored(rest))
}

/** Writes the proposal to an inbox file of its own, for the merge. */
function setOut(work: Work, waiting: Waiting, entry: Entry): string {
  const isAlone = waiting.rest.trim() === ""
  if (isAlone && entry === waiting.entry) return waiting.path
  const text = generated(writeEntry(pinned(entry, waiting.id)))
  const path = isAlone ? waiting.path : freePath(work.draft, waiting.path)
  if (!isAlone) takeOut(work, waiting)
  work.draft.put(path, text)
  return path
}
