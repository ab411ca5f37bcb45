import { withStore } from "../change.ts"
import { bury, deleteCopies } from "../memory/delete-memory.ts"
import { classOfType } from "../memory/load-index.ts"
import type { IndexRecord } from "../memory/memory-index.ts"
import { startWork, type Work } from "../tidy/work.ts"
import { carryOut, check, noteChange, type Planned, refuseChange } from "./change-item.ts"
import { clearChange } from "./clear-change.ts"
import { wouldChangeOthers } from "./edit-entry.ts"
import type { EditOutcome, Forget } from "./editor.ts"
import type { EntryDesk, FoundEntry } from "./find-entry.ts"
import { removeEntry } from "./rewrite-entry.ts"

/** Removes an entry from its file. A governed memory is deleted with a tombstone, including copies at providers. */
export async function forgetEntry(desk: EntryDesk, id: string, { version, reason }: Forget): Promise<EditOutcome> {
  const { context } = desk
  const cleared = clearChange(desk, { reason })
  if (cleared.kind === "refused") return refuseChange(desk, cleared.reason)
  const { outcome, record } = await withStore(context.folder, async (): Promise<Forgetting> => {
    const checked = check(desk, id, { action: "forget", version })
    if (checked.kind !== "free") return { outcome: checked }
    const { found } = checked
    if (found.kind === "governed") return buryRecord(desk, found.record)
    if (found.record) return buryRecord(desk, found.record)
    const work = startWork(context.store, context.folder, context.now())
    return { outcome: carryOut(work, "forget", () => planRemoval(work, desk, found, cleared.texts.reason)) }
  })
  if (record) await deleteCopies(context, record)
  return outcome
}

type Forgetting = { outcome: EditOutcome; record?: IndexRecord }

async function buryRecord({ context, user }: EntryDesk, record: IndexRecord): Promise<Forgetting> {
  const change = (await bury(context, record.id, user, "local")) ?? null
  return { outcome: { kind: "done", id: null, summary: forgotten(record), change }, record }
}

function planRemoval(work: Work, desk: EntryDesk, found: FoundEntry, reason: string | undefined): Planned {
  const { own, file, id } = found
  if (!removeEntry(work, found)) return { kind: "refused", reason: wouldChangeOthers }
  const said = ["Forgotten by a person", reason].filter(Boolean).join(": ")
  noteChange(work, desk, {
    action: "delete",
    entry: own.entry,
    id,
    class: classOfType[own.entry.type],
    path: file.path,
    reason: said,
  })
  return { kind: "planned", id: null, summary: forgotten(own.entry) }
}

function forgotten({ title }: { title: string }): string {
  return `Forgot “${title}”`
}
