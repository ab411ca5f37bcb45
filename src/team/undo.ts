import { DreyError } from "../errors.ts"
import { listChanges, type RecordedChange, undoLastChange, withStore } from "./change.ts"
import type { AvailableUndo, EditOutcome } from "./edit/item-edit.ts"
import { removeMergeDriver } from "./git/git-setup.ts"
import { writeAudit } from "./merge/merged-records.ts"
import type { StoreFolder, TeamStore } from "./team-folder.ts"

/** A recorded change; `files` are relative to the repository. */
export type StoreChange = RecordedChange & { undone: boolean }

/** All recorded changes, oldest first. */
export function listStoreChanges(store: TeamStore): StoreChange[] {
  return store.folders
    .flatMap((folder) => listChanges(folder).map((change) => inRepository(folder, change)))
    .sort(byAge)
}

function byAge(one: StoreChange, other: StoreChange): number {
  return one.createdAt < other.createdAt ? -1 : one.createdAt > other.createdAt ? 1 : 0
}

/** The change that `undo` would revert: the last one, in both team folders if one command changed both. */
export function nextUndo(store: TeamStore): StoreChange[] {
  return lastChanges(store).map(({ folder, change }) => inRepository(folder, change))
}

/** With `only`, undoes the last change only if it has one of these ids. */
export async function undo(store: TeamStore, now: Date, only?: readonly string[]): Promise<StoreChange[]> {
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

function lastChanges(store: TeamStore): { folder: StoreFolder; change: StoreChange }[] {
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

/** The last change of the team's files by any command; undefined if there is none to undo. */
export function offerUndo(store: TeamStore): AvailableUndo | undefined {
  const changes = nextUndo(store)
  const [first] = changes
  return first && { key: keyOf(changes), summary: summarize(changes), at: first.createdAt }
}

/** Undoes the last change if it has this key. */
export async function undoChange(store: TeamStore, key: string, now: Date): Promise<EditOutcome> {
  try {
    const undone = await undo(store, now, key.split("+"))
    if (undone.length === 0) return { kind: "changed" }
    return { kind: "done", id: null, summary: `Undid ${summarize(undone)}`, change: null }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { kind: "refused", reason: error.message } // a file was changed since, so nothing was undone
  }
}

function keyOf(changes: readonly StoreChange[]): string {
  return changes.map(({ id }) => id).join("+")
}

/** `accept, in decisions.md and decisions/inbox/rook-limits.md`. */
function summarize(changes: readonly StoreChange[]): string {
  const files = changes.flatMap((change) => change.files).filter((path) => !path.endsWith("/memory/index.json"))
  const named = files.slice(0, 2).map((path) => path.replace(/^\.[\w-]+\//, ""))
  const further = files.length > 2 ? ` and ${files.length - 2} more` : ""
  return `${changes[0]?.command}, in ${named.join(further === "" ? " and " : ", ")}${further}`
}
