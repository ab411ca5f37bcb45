import { dirname } from "node:path"
import { makeFolder, writeFileAtomic } from "../disk/write-file-atomic.ts"
import { compileGuards, type FailedAttempt, listFolders } from "./compile-guards.ts"
import { type GuardSources, guardsStamp, stampIn } from "./guards-stamp.ts"
import type { GuardsFile } from "./match-guards.ts"
import type { RecallParts } from "./recall-parts.ts"

export type GuardsPlace = GuardSources & {
  /** The compiled file. */
  path: string
  /** Failed attempts of active sessions. */
  attempts(): Promise<readonly FailedAttempt[]>
}

/** Recompiles the guards if an input has changed; otherwise this only costs a stat of the newest sessions. */
export async function keepGuards(parts: RecallParts, place: GuardsPlace): Promise<void> {
  const stamp = await guardsStamp(parts.index, place)
  if (stampIn(place.path) === stamp) return
  const guards = await compileGuards(parts, { attempts: await place.attempts(), ask: place.ask })
  makeFolder(dirname(place.path), 0o700)
  const file: GuardsFile = { format: 1, stamp, guards, folders: await listFolders(parts) } // in this order: see `stampIn`
  writeFileAtomic(place.path, JSON.stringify(file), { mode: 0o600, derived: true })
}
