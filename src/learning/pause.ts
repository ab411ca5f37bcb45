import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { isRecord, parseJson } from "../disk/parse-json.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { makeFolder, removeFileDurable, writeFileAtomic } from "../disk/write-file-atomic.ts"

/** Reading and learning are paused since then, for one project or for all. */
export type Pause = { of: "everything" | "project"; since: string }

/** The pause of a project: the global one, or its own. */
export function pauseOf(home: string, project: string): Pause | undefined {
  return readPause(home, "everything") ?? readPause(home, "project", project)
}

/** Pausing twice changes nothing. Returns whether the pause is new. */
export function beginPause(home: string, of: Pause["of"], project: string, now: string): boolean {
  const path = markPath(home, of, project)
  if (existsSync(path)) return false
  makePrivateFolder(dirname(path))
  writeFileAtomic(path, `${JSON.stringify({ since: now })}\n`, { mode: 0o600 })
  return true
}

/** Returns whether there was one. */
export function endPause(home: string, of: Pause["of"], project: string): boolean {
  const path = markPath(home, of, project)
  if (!existsSync(path)) return false
  removeFileDurable(path)
  return true
}

function readPause(home: string, of: Pause["of"], project = ""): Pause | undefined {
  const path = markPath(home, of, project)
  if (!existsSync(path)) return undefined
  const mark = parseJson(readTextFile(path).text, path)
  return { of, since: isRecord(mark) ? String(mark.since) : "" }
}

/** One file each: no two processes write the same file for different reasons. */
function markPath(home: string, of: Pause["of"], project: string): string {
  return join(home, "paused", of === "everything" ? "everything" : project)
}

function makePrivateFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw fileError(folder, error)
  }
}
