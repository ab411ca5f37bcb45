import { join } from "node:path"
import { listFolder } from "../disk/list-folder.ts"
import { isDreyName, isGitName } from "../disk/safe-paths.ts"
import type { StoreFolder } from "./find-store.ts"

/** A file of a team folder; `path` is relative to the folder, `shown` to the repository, both with forward slashes. */
export type TeamFile = { path: string; shown: string; absolute: string; folder: StoreFolder }

/** Below a team folder, and yet no memory of the team: what conversions and sessions keep there. */
export const setApart = ["backups", "sessions"] as const

/**
 * Every file below a team folder, entries or not, sorted. Drey's own locks, git's own folder, the backups of conversions, which must stay what
 * they were to be of use, and the sessions, which are written under locks of their own, are left out; links are not followed.
 * A folder that cannot be opened is listed as `<folder>/*.md`, so that whoever reads it reports why.
 */
export function listTeamFiles(folder: StoreFolder): TeamFile[] {
  return filesBelow(folder, "").filter(({ path }) => !setApart.some((name) => path.startsWith(`${name}/`)))
}

/** The originals that conversions kept, or the working memory of sessions. */
export function listFilesApart(folder: StoreFolder, name: (typeof setApart)[number]): TeamFile[] {
  return filesBelow(folder, "").filter(({ path }) => path.startsWith(`${name}/`))
}

function filesBelow(folder: StoreFolder, below: string): TeamFile[] {
  const fileAt = (path: string) => ({
    path,
    shown: `${folder.name}/${path}`,
    absolute: join(folder.path, path),
    folder,
  })
  const items = listFolder(join(folder.path, below))
  if (items === undefined) return [fileAt(`${below}*.md`)]
  return items
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((item) => {
      const path = `${below}${item.name}`
      if (isDreyName(item.name) || isGitName(item.name)) return []
      if (item.isDirectory()) return filesBelow(folder, `${path}/`)
      return item.isFile() ? [fileAt(path)] : []
    })
}
