import { lstatSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { storeLockPath } from "../disk/lock.ts"
import { sha256 } from "../disk/sha256.ts"
import type { StoreFolder } from "./find-store.ts"

/**
 * The trusted state of one team folder: journal, copies for undo, the end of the audit chain, installed files. It is in
 * Drey's home, so that a clone cannot supply it. A team folder is identified by its real path and its lock file, which is
 * created once and never written: a moved, copied or re-cloned folder starts without state.
 */
export function stateFolder(folder: StoreFolder): string {
  const lock = lstatSync(storeLockPath(folder.path), { bigint: true, throwIfNoEntry: false })
  return join(statesOf(folder), lock ? lock.mtimeNs.toString(36) : "none")
}

/** The states of all folders that ever had this path. */
export function statesOf(folder: StoreFolder): string {
  return join(folder.home, "state", sha256(realPathOf(folder.path)).slice(0, 16))
}

/** Works for a team folder that does not exist yet. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path // there is no state for a missing folder
  }
}
