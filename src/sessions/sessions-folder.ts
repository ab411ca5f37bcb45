import { existsSync, lstatSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { keepOthersOut } from "../disk/home-files.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { makeFolder, writeFileAtomic } from "../disk/write-file-atomic.ts"
import { DreyError } from "../errors.ts"

const privateFolder = 0o700

/** Makes the folder of all sessions, private and out of git's sight. */
export function makeSessionsFolder(folder: string): void {
  if (existsSync(folder)) return
  try {
    makeFolder(dirname(folder))
    makeFolder(folder, privateFolder)
  } catch (error) {
    throw fileError(folder, error)
  }
  ignoreInGit(folder)
}

/** Makes the folder of one session. */
export function makeSessionFolder(folder: string): void {
  try {
    makeFolder(folder, privateFolder)
  } catch (error) {
    throw fileError(folder, error)
  }
  if (!isIgnored(folder)) ignoreInGit(folder)
}

/**
 * Sees to it that nobody else reads a session's files and that git does not take them up: the folder may come from another tool, or
 * with a copy of the repository.
 */
export function keepPrivate(folder: string, warn: (message: string) => void): void {
  if (!isIgnored(folder)) ignoreInGit(folder)
  if (process.platform === "win32") return // files have no such modes there
  const files = readdirSync(folder, { withFileTypes: true }).filter((item) => item.isFile())
  try {
    for (const path of [folder, ...files.map(({ name }) => join(folder, name))]) {
      const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0
      if ((mode & forOthers) !== 0) keepOthersOut(path, mode & 0o700)
    }
  } catch (error) {
    const refused = fileError(folder, error)
    if (!(refused instanceof DreyError)) throw refused
    warn(`Other users may be able to read ${folder}: its permissions could not be changed`) // somebody else's folder is no reason to forget
  }
}

const forOthers = 0o077

/** By its own file or by the one above it. Where the sessions lie among other things, git shall go on seeing those. */
function isIgnored(folder: string): boolean {
  if (existsSync(join(folder, ".gitignore"))) return true
  const above = join(dirname(folder), ".gitignore")
  return existsSync(above) && /^\*\r?$/m.test(readTextFile(above).text)
}

function ignoreInGit(folder: string): void {
  writeFileAtomic(join(folder, ".gitignore"), "*\n", { mode: 0o600 })
}
