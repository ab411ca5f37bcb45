import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { removeFromHome } from "../disk/home-files.ts"
import { isRecord } from "../disk/parse-json.ts"
import type { Database } from "../disk/sqlite.ts"
import type { TaskUse } from "./learned-store.ts"
import { recordTask } from "./record-task.ts"
import { runSteps } from "./steps.ts"
import { setNotesAside } from "./use-log.ts"

/** Imports the uses logged by hooks, then removes each file. Importing a file twice has no effect. */
export function takeInUses(database: Database, path: string): void {
  for (const file of setNotesAside(path, randomUUID)) {
    const uses = readUses(file)
    database.transaction("immediate", () => {
      for (const use of uses) runSteps(database, recordTask(use))
    })
    removeFromHome(file)
  }
}

function readUses(file: string): TaskUse[] {
  return readText(file).split("\n").flatMap(readLine)
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "" // another process has imported it
    throw error
  }
}

function readLine(line: string): TaskUse[] {
  try {
    const value: unknown = JSON.parse(line)
    return isTaskUse(value) ? [value] : []
  } catch {
    return [] // a killed process left it unfinished: one use is lost
  }
}

function isTaskUse(value: unknown): value is TaskUse {
  if (!isRecord(value) || !Array.isArray(value.memories)) return false
  const { task, project, session = "", agent = "", taskHash, ts } = value
  return (
    [task, project, session, agent, taskHash, ts].every((each) => typeof each === "string") &&
    !Number.isNaN(Date.parse(String(ts))) &&
    value.memories.every(
      (each) =>
        isRecord(each) && typeof each.id === "string" && Number.isFinite(each.rank) && Number.isFinite(each.score),
    )
  )
}
