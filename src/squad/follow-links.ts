import { lstatSync, realpathSync } from "node:fs"
import { dirname, join, sep } from "node:path"
import { codeOf, fileError } from "../disk/file-error.ts"
import { DreyError } from "../errors.ts"
import { repositoryOf, type StoreFolder } from "./find-store.ts"

/**
 * Throws when a path below a team folder leads, through a link, out of the repository or nowhere: what anybody can commit
 * must not make Drey read or write elsewhere on the machine. The team folder itself may be a link; `name` is what the
 * sentence calls the file.
 */
export function requireInRepository(folder: StoreFolder, path: string, name = join(folder.path, path)): void {
  const real = realPathOf(folder, path, name)
  if (real === undefined) return
  const team = realpathSync.native(folder.path)
  const parent = dirname(folder.path)
  if (isBelow(real, team) || isBelow(real, realpathSync.native(repositoryOf(parent) ?? parent))) return
  throw new DreyError(`${name} leads out of the repository through a link, so it is not followed`, {
    hint: "Put the file itself there, or link to one inside this repository.",
  })
}

/** Where the path leads, or the nearest folder above it that is there; undefined while there is no team folder. */
function realPathOf(folder: StoreFolder, path: string, name: string): string | undefined {
  for (let at = join(folder.path, path); at.length >= folder.path.length; at = dirname(at)) {
    try {
      return realpathSync.native(at)
    } catch (error) {
      if (codeOf(error) === "ENOTDIR") continue
      if (codeOf(error) !== "ENOENT") throw fileError(name, error)
    }
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new DreyError(`${name} is behind a link to nothing`, { hint: "Mend the link, or remove it." })
  }
  return undefined
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
