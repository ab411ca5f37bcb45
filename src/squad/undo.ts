import { listChanges, type RecordedChange, undoLastChange, withStore } from "./change.ts"
import type { Store, StoreFolder } from "./find-store.ts"
import { removeMergeDriver } from "./git/merge-driver.ts"
import { writeAudit } from "./merge/audit-merge.ts"

/** A recorded change; `files` are relative to the repository. */
export type StoreChange = RecordedChange & { undone: boolean }

/** All recorded changes, oldest first. */
export function listStoreChanges(store: Store): StoreChange[] {
  return store.folders
    .flatMap((folder) => listChanges(folder).map((change) => inRepository(folder, change)))
    .sort(byAge)
}

function byAge(one: StoreChange, other: StoreChange): number {
  return one.createdAt < other.createdAt ? -1 : one.createdAt > other.createdAt ? 1 : 0
}

/** The change that `undo` would revert: the last one, in both team folders if one command changed both. */
export function nextUndo(store: Store): StoreChange[] {
  return lastChanges(store).map(({ folder, change }) => inRepository(folder, change))
}

/** With `only`, undoes the last change only if it has one of these ids. */
export async function undo(store: Store, now: Date, only?: readonly string[]): Promise<StoreChange[]> {
  const undone: StoreChange[] = []
  const last = lastChanges(store)
  if (only && last.map(({ change }) => change.id).join() !== only.join()) return []
  // The record may still be empty: an interrupted change is completed under the lock and then is the last one.
  const folders = last.length > 0 ? last.map(({ folder }) => folder) : store.folders.slice(0, 1)
  for (const folder of folders) {
    const change = await withStore(folder, () => {
      if (only && !only.includes(listChanges(folder).findLast((each) => !each.undone)?.id ?? "")) return undefined
      const taken = undoLastChange(folder)
      const reason = `Undid "${taken.command}"`
      writeAudit(folder, [{ timestamp: now.toISOString(), action: "configure", reason }])
      return taken
    })
    if (change?.command === "init") removeMergeDriver(store.root)
    if (change) undone.push(inRepository(folder, { ...change, undone: true }))
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
