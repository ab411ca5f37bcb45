import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Whether somebody should sync, told by two small files: a command that has an answer to give loads no more than this. */
export function isSyncDue(home: string, now: Date): boolean {
  if (textOf(join(home, "team.json")) === undefined) return false
  const dueAt = /"dueAt":"([^"]+)"/.exec(textOf(join(home, "run", "team-sync.json")) ?? "")?.[1]
  return dueAt === undefined || !(Date.parse(dueAt) > now.getTime())
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined // not there, or not for us: nothing to do
  }
}
