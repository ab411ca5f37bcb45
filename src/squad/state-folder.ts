import { lstatSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { storeLockPath } from "../disk/lock.ts"
import { sha256 } from "../disk/sha256.ts"
import type { StoreFolder } from "./find-store.ts"

/**
 * Where Drey keeps what it acts upon by itself for one team folder: journal, copies for undo, the end of the audit's chain,
 * what it installed. It is in Drey's own home, where a clone cannot put anything. A folder is known by its real path and by
 * its lock file, which is made once and never written: one that was moved, copied or cloned again begins with nothing.
 */
export function stateFolder(folder: StoreFolder): string {
  const lock = lstatSync(storeLockPath(folder.path), { bigint: true, throwIfNoEntry: false })
  return join(statesOf(folder), lock ? lock.mtimeNs.toString(36) : "none")
}

/** Of all that ever had this path. */
export function statesOf(folder: StoreFolder): string {
  return join(folder.home, "state", sha256(realPathOf(folder.path)).slice(0, 16))
}

/** Also of a team folder that is still to be made. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path // nothing is kept for what is not there
  }
}
