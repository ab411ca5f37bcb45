import { existsSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { appendToHome, renameInHome } from "../disk/home-files.ts"
import type { TaskUse } from "./learned-store.ts"

/**
 * Appends a task to a log beside the database with a single write; the next process that opens the database imports it.
 * A hook must end with its answer: locking the database, updating metrics and syncing the disk would take longer than
 * that.
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

/**
 * Renames the log so that it is no longer appended to, and returns all such files, including those left by killed
 * processes.
 */
export function setNotesAside(databasePath: string, makeId: () => string): string[] {
  const path = notesPath(databasePath)
  const [folder, start] = [dirname(path), `${basename(path, ".jsonl")}-`]
  try {
    renameInHome(path, join(folder, `${start}${makeId()}.jsonl`))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileError(path, error) // otherwise another process was first
  }
  return readdirSync(folder)
    .filter((name) => name.startsWith(start) && name.endsWith(".jsonl"))
    .map((name) => join(folder, name))
}

function notesPath(databasePath: string): string {
  return `${databasePath}-uses.jsonl`
}
