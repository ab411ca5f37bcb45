import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { isRecord, parseJson } from "../disk/parse-json.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { makeFolder, removeFileDurable, writeFileAtomic } from "../disk/write-file-atomic.ts"

/** Nothing is read from transcripts and nothing learned, of one project or at all, since then. */
export type Pause = { of: "everything" | "project"; since: string }

/** The pause that holds for a project: the user's for everything, or its own. */
export function pauseOf(home: string, project: string): Pause | undefined {
  return readPause(home, "everything") ?? readPause(home, "project", project)
}

/** A second pause changes nothing. Tells whether it is a new one. */
export function beginPause(home: string, of: Pause["of"], project: string, now: string): boolean {
  const path = markPath(home, of, project)
  if (existsSync(path)) return false
  makePrivateFolder(dirname(path))
  writeFileAtomic(path, `${JSON.stringify({ since: now })}\n`, { mode: 0o600 })
  return true
}

/** Tells whether there was one. */
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

/** A file each: two processes never write the same one for different reasons. */
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
