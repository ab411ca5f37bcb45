import { listChanges, type RecordedChange, undoLastChange, withStore } from "./change.ts"
import type { Store, StoreFolder } from "./find-store.ts"
import { writeAudit } from "./merge/audit-merge.ts"

/** A change that is on record; `files` are relative to the repository. */
export type StoreChange = RecordedChange & { undone: boolean }

/** All changes on record, oldest first. */
export function listStoreChanges(store: Store): StoreChange[] {
  return store.folders
    .flatMap((folder) => listChanges(folder).map((change) => inRepository(folder, change)))
    .sort(byAge)
}

function byAge(one: StoreChange, other: StoreChange): number {
  return one.createdAt < other.createdAt ? -1 : one.createdAt > other.createdAt ? 1 : 0
}

/** What `undo` would take back: the last change, in both team folders where one command changed both. */
export function nextUndo(store: Store): StoreChange[] {
  return lastChanges(store).map(({ folder, change }) => inRepository(folder, change))
}

export async function undo(store: Store, now: Date): Promise<StoreChange[]> {
  const undone: StoreChange[] = []
  const last = lastChanges(store)
  // A change that was cut short is finished under the lock and then is the last one, so the record may be empty here.
  const folders = last.length > 0 ? last.map(({ folder }) => folder) : store.folders.slice(0, 1)
  for (const folder of folders) {
    const change = await withStore(folder, () => {
      const taken = undoLastChange(folder)
      const reason = `Undid "${taken.command}"`
      writeAudit(folder, [{ timestamp: now.toISOString(), action: "configure", reason }])
      return taken
    })
    undone.push(inRepository(folder, { ...change, undone: true }))
  }
  return undone
}

function lastChanges(store: Store): { folder: StoreFolder; change: StoreChange }[] {
  const each = store.folders.flatMap((folder) => {
    const change = listChanges(folder).findLast(({ undone }) => !undone)
    return change ? [{ folder, change }] : []
  })
  const newest = each
    .map(({ change }) => change)
    .sort(byAge)
    .at(-1)
  return each.filter(({ change }) => change.createdAt === newest?.createdAt && change.command === newest.command)
}

function inRepository(folder: StoreFolder, change: StoreChange): StoreChange {
  return { ...change, files: change.files.map((path) => `${folder.name}/${path}`) }
}
