import type { Entry } from "../../formats/entry.ts"
import type { AuditRecord } from "../../governance/audit-chain.ts"
import { generated } from "../../governance/cleared.ts"
import { applyChange, withStore } from "../change.ts"
import { indexPath, patchIndex } from "../index-records.ts"
import { auditTitle } from "../memory/memory-context.ts"
import type { IndexRecord } from "../memory/memory-index.ts"
import { writeAudit } from "../merge/audit-merge.ts"
import { startWork, type Work } from "../tidy/work.ts"
import type { EditAction, EditOutcome } from "./editor.ts"
import { type EntryDesk, type Found, findEntry } from "./find-entry.ts"
import { whatCanBeDone } from "./what-can-be-done.ts"

/** A planned change; its files are already in the draft. */
export type Planned = { kind: "planned"; id: string | null; summary: string } | { kind: "refused"; reason: string }

type Wanted = { action: EditAction; version: string }

/** Plans and applies a change under the team folder's lock, if the item is still at the version the user read. */
export function changeItem(
  desk: EntryDesk,
  id: string,
  wanted: Wanted,
  plan: (found: Found, work: Work) => Planned,
): Promise<EditOutcome> {
  const { store, folder, now } = desk.context
  return withStore(folder, () => {
    const checked = check(desk, id, wanted)
    if (checked.kind !== "free") return checked
    return carryOut(startWork(store, folder, now()), wanted.action, (work) => plan(checked.found, work))
  })
}

/** Checks that an item is still at the version the user read and allows the change. Call it under the team folder's lock. */
export function check(
  desk: EntryDesk,
  id: string,
  { action, version }: Wanted,
): EditOutcome | { kind: "free"; found: Found } {
  const found = findEntry(desk, id)
  if (found?.version !== version) return { kind: "changed" }
  const may = whatCanBeDone(desk, found)[action]
  return may === true ? { kind: "free", found } : { kind: "refused", reason: may }
}

/** Call it under the team folder's lock. */
export function carryOut(work: Work, command: string, plan: (work: Work) => Planned): EditOutcome {
  const planned = plan(work)
  if (planned.kind === "refused") return planned
  const { draft, now, audit } = work
  const change = applyChange(draft.folder, command, draft.changes(), now, { moves: draft.moves() })
  if (change) writeAudit(draft.folder, audit)
  return { kind: "done", id: planned.id, summary: planned.summary, change: change?.id ?? null }
}

/** Records a rejected change in the audit log, without its text. */
export async function refuseChange({ context, user }: EntryDesk, reason: string): Promise<EditOutcome> {
  const { folder, now } = context
  const record = { class: "FORBIDDEN", title: "Rejected change", reason: `Rejected as forbidden memory: ${reason}` }
  await withStore(folder, () =>
    writeAudit(folder, [
      {
        timestamp: now().toISOString(),
        action: "reject",
        ...record,
        actor: auditTitle(user, "unknown"),
        provider: "local",
      },
    ]),
  )
  return { kind: "refused", reason }
}

/** Plans an audit line. A title derived from the text counts as text and is left out. */
export function noteChange(
  work: Work,
  { user }: EntryDesk,
  {
    entry,
    ...record
  }: { entry: Pick<Entry, "title" | "summary"> } & Pick<AuditRecord, "action" | "reason"> & {
      id: string
      path: string
      class: string
    },
): void {
  const isText =
    entry.summary !== entry.title && (entry.summary.startsWith(entry.title) || entry.title.startsWith(entry.summary))
  work.audit.push({
    timestamp: work.now.toISOString(),
    ...record,
    title: auditTitle(isText ? undefined : entry.title, "Changed entry"),
    actor: auditTitle(user, "unknown"),
    provider: "local",
  })
}

/** Updates a memory's record in the index. A damaged index is left unchanged: it is rebuilt from the files. */
export function putRecord({ draft, now }: Work, record: IndexRecord, change: Partial<IndexRecord>): IndexRecord {
  const after = { ...record, updatedAt: now.toISOString(), ...change }
  const patched = patchIndex(draft.text(indexPath), [{ id: record.id, before: record, after }], "after")
  if (patched) draft.put(indexPath, generated(patched.text))
  return after
}
