import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { StoreFolder } from "./find-store.ts"

/** A file of a team folder; `path` is relative to the folder, `shown` to the repository, both with forward slashes. */
export type TeamFile = { path: string; shown: string; absolute: string; folder: StoreFolder }

/**
 * Every file below a team folder, entries or not, sorted. Drey's own bookkeeping and the backups of conversions, which must
 * stay what they were to be of use, are left out; links are not followed.
 */
export function listTeamFiles(folder: StoreFolder): TeamFile[] {
  return filesBelow(folder, "").filter(({ path }) => !path.startsWith("backups/"))
}

/** The originals that conversions kept. */
export function listBackupFiles(folder: StoreFolder): TeamFile[] {
  return filesBelow(folder, "").filter(({ path }) => path.startsWith("backups/"))
}

function filesBelow(folder: StoreFolder, below: string): TeamFile[] {
  return readdirSync(join(folder.path, below), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((item) => {
      const path = `${below}${item.name}`
      if (path === ".drey") return []
      if (item.isDirectory()) return filesBelow(folder, `${path}/`)
      return item.isFile() ? [{ path, shown: `${folder.name}/${path}`, absolute: join(folder.path, path), folder }] : []
    })
}
