import { accessSync, constants, existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { removeFromHome } from "../disk/home-files.ts"
import { copyToTemporary, makeTemporaryFolder, removeTemporaryFolder } from "../disk/temporary-folder.ts"
import { makeFolder } from "../disk/write-file-atomic.ts"
import { DreyError } from "../errors.ts"

export type ChosenIndexFile = {
  path: string
  /** Why the file itself cannot be used; undefined if it can. */
  problem: string | undefined
  /** Removes temporary files; process exit does this too. */
  release(): void
}

/** The file itself, or, if it is not writable, a temporary copy for this process. */
export function chooseIndexFile(path: string): ChosenIndexFile {
  const problem = whyNotWritable(path)
  return problem === undefined ? { path, problem, release: () => {} } : { ...copyForNow(path), problem }
}

function whyNotWritable(path: string): string | undefined {
  const { R_OK, W_OK, X_OK } = constants
  try {
    makeFolder(dirname(path), 0o700)
    accessSync(dirname(path), R_OK | W_OK | X_OK)
    if (existsSync(path)) accessSync(path, R_OK | W_OK)
    return undefined
  } catch (error) {
    const told = fileError(dirname(path), error)
    if (told instanceof DreyError) return told.message
    throw error
  }
}

function copyForNow(path: string): Pick<ChosenIndexFile, "path" | "release"> {
  const folder = makeTemporaryFolder("index")
  const remove = () => {
    try {
      removeTemporaryFolder(folder)
    } catch {
      // Windows cannot remove open files; the system cleans up its temporary folder.
    }
  }
  process.once("exit", remove)
  const copy = join(folder, basename(path))
  for (const part of ["", "-wal"]) copyReadable(path + part, copy + part)
  return {
    path: copy,
    release() {
      process.off("exit", remove)
      remove()
    },
  }
}

/** Saves a full rebuild. A copy torn by a concurrent write is detected as damage and rebuilt. */
function copyReadable(from: string, to: string): void {
  try {
    if (!existsSync(from)) return
    copyToTemporary(from, to)
  } catch {
    removeFromHome(to) // not even readable: the index starts empty
  }
}
