import { existsSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { appendToHome, renameInHome } from "../disk/home-files.ts"
import type { TaskUse } from "./learned-store.ts"

/**
 * Notes a task beside the database, for whoever opens that next: one line, one write. A hook ends with its answer; to have the database
 * for itself, to bring its sums up to date and to wait for the disk would take longer than the answer.
 */
export function noteUse(databasePath: string, use: TaskUse): void {
  const path = notesPath(databasePath)
  try {
    appendToHome(path, `${JSON.stringify(use)}\n`)
  } catch (error) {
    throw fileError(path, error)
  }
}

export function hasNotedUses(databasePath: string): boolean {
  return existsSync(notesPath(databasePath))
}

/** Puts what was noted under names that nobody writes to, and returns all such files, those of a process that was killed over them too. */
export function setNotesAside(databasePath: string, makeId: () => string): string[] {
  const path = notesPath(databasePath)
  const [folder, start] = [dirname(path), `${basename(path, ".jsonl")}-`]
  try {
    renameInHome(path, join(folder, `${start}${makeId()}.jsonl`))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileError(path, error) // else another process was first
  }
  return readdirSync(folder)
    .filter((name) => name.startsWith(start) && name.endsWith(".jsonl"))
    .map((name) => join(folder, name))
}

function notesPath(databasePath: string): string {
  return `${databasePath}-uses.jsonl`
}
