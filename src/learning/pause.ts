import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeFolder, removeFileDurable, writeFileAtomic } from "../disk/atomic-write.ts"
import { parseJson } from "../disk/json.ts"
import { fileError, readTextFile } from "../disk/text-files.ts"
import { isRecord } from "../formats/objects.ts"

/** Reading and learning are paused since then, for one project or for all. */
export type LearningPause = { of: "everything" | "project"; since: string }

/** The pause of a project: the global one, or its own. */
export function pauseOf(home: string, project: string): LearningPause | undefined {
  return readPause(home, "everything") ?? readPause(home, "project", project)
}

/** Pausing twice changes nothing. Returns whether the pause is new. */
export function beginPause(home: string, of: LearningPause["of"], project: string, now: string): boolean {
  const path = markPath(home, of, project)
  if (existsSync(path)) return false
  makePrivateFolder(dirname(path))
  writeFileAtomic(path, `${JSON.stringify({ since: now })}\n`, { mode: 0o600 })
  return true
}

/** Returns whether there was one. */
export function endPause(home: string, of: LearningPause["of"], project: string): boolean {
  const path = markPath(home, of, project)
  if (!existsSync(path)) return false
  removeFileDurable(path)
  return true
}

function readPause(home: string, of: LearningPause["of"], project = ""): LearningPause | undefined {
  const path = markPath(home, of, project)
  if (!existsSync(path)) return undefined
  const mark = parseJson(readTextFile(path).text, path)
  return { of, since: isRecord(mark) ? String(mark.since) : "" }
}

/** One file each: no two processes write the same file for different reasons. */
function markPath(home: string, of: LearningPause["of"], project: string): string {
  return join(home, "paused", of === "everything" ? "everything" : project)
}

function makePrivateFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw fileError(folder, error)
  }
}
