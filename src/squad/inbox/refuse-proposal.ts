import { alreadyStored } from "../../governance/cleared.ts"
import { noteChange, type Planned, putRecord } from "../edit/change-item.ts"
import type { EntryDesk } from "../edit/find-entry.ts"
import { freePath } from "../free-path.ts"
import { classOfType, loadIndex } from "../memory/load-index.ts"
import type { Work } from "../tidy/work.ts"
import type { Waiting } from "./read-waiting.ts"
import { refusedPath } from "./refused-path.ts"
import { takeOut } from "./take-proposal.ts"

/** Plans the rejection of a proposal: it is moved to `.refused`, so that it is not proposed again. */
export function planRefusal(work: Work, desk: EntryDesk, waiting: Waiting, reason: string): Planned {
  const { draft, now } = work
  const { id, entry, path, text } = waiting
  const to = freePath(draft, refusedPath(path))
  draft.put(to, alreadyStored(text))
  takeOut(work, waiting)
  const place = `${draft.folder.name}/${path}`
  const record = loadIndex(desk.context.store, draft.folder, now).records.find((each) => each.path === place)
  const deletedAt = now.toISOString()
  if (record) putRecord(work, record, { status: "deleted", loadGuidance: "ARCHIVE", deletedAt })
  const said = `Refused by a person: ${reason}`
  const memoryClass = record?.class ?? classOfType[entry.type]
  noteChange(work, desk, {
    action: "reject",
    entry,
    id,
    class: memoryClass,
    path: `${draft.folder.name}/${to}`,
    reason: said,
  })
  return { kind: "planned", id: null, summary: `Refused “${entry.title}”` }
}
