import { accessSync, constants, existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { removeFromHome } from "../disk/home-files.ts"
import { copyToTemporary, makeTemporaryFolder, removeTemporaryFolder } from "../disk/temporary-folder.ts"
import { makeFolder } from "../disk/write-file-atomic.ts"
import { DreyError } from "../errors.ts"

export type ChosenIndexFile = {
  path: string
  /** Why the file's own place will not do; undefined where it does. */
  problem: string | undefined
  /** Removes what was only for this process; the end of the process does it too. */
  release(): void
}

/** The file itself, or, where nothing can be written to it, a copy in a temporary place that goes with this process. */
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
      // Windows removes no file that is open; the system empties this place by itself.
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

/** Saves building all of it anew. A copy torn by somebody's write shows as damage, and is built anew then. */
function copyReadable(from: string, to: string): void {
  try {
    if (!existsSync(from)) return
    copyToTemporary(from, to)
  } catch {
    removeFromHome(to) // not even readable: the index begins empty
  }
}
