import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Whether a sync is due, from two small files; kept free of heavy imports because hooks load it. */
export function isSyncDue(home: string, now: Date): boolean {
  if (textOf(join(home, "team.json")) === undefined) return false
  const dueAt = /"dueAt":"([^"]+)"/.exec(textOf(join(home, "run", "team-sync.json")) ?? "")?.[1]
  return dueAt === undefined || !(Date.parse(dueAt) > now.getTime())
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined // missing or unreadable: nothing to sync
  }
}
