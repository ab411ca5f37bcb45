import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { appendToHome, makeHomeFolder, removeFromHome } from "../disk/home-files.ts"

/** The items that one session of a client has seen, so that none is repeated. */
export type SeenItems = {
  has(key: string): boolean
  all(): string[]
  add(keys: readonly string[]): void
  /** Clears the list. */
  forget(): void
}

const mostSessions = 100

/**
 * A session without an id keeps no list. Editors run the hooks of several clients for one session, so only the id
 * counts.
 */
export function openSeenItems(home: string, session: string | undefined): SeenItems {
  const folder = join(home, "hooks", "sessions")
  const path = session === undefined ? undefined : join(folder, session.replace(/[^\w-]/g, "_").slice(0, 120))
  let known: Set<string> | undefined
  const keys = () => {
    known ??= new Set(path === undefined ? [] : readLines(path))
    return known
  }
  return {
    has: (key) => keys().has(key),
    all: () => [...keys()],
    add(added) {
      const fresh = added.filter((key) => !keys().has(key))
      if (path === undefined || fresh.length === 0) return
      if (keys().size === 0) makeRoom(folder)
      appendToHome(path, fresh.map((key) => `${key}\n`).join(""))
      for (const key of fresh) keys().add(key)
    },
    forget() {
      known = new Set()
      if (path !== undefined) removeFromHome(path)
    },
  }
}

const compacted = "compacted"

/** The client is about to summarize the conversation: the agent will no longer see earlier items. */
export function noteCompaction(told: SeenItems): void {
  told.forget()
  told.add([compacted])
}

/** Whether nothing was handed over since the compaction. */
export function isCompacted(told: SeenItems): boolean {
  return told.has(compacted)
}

function readLines(path: string): string[] {
  if (!statSync(path, { throwIfNoEntry: false })) return []
  return readFileSync(path, "utf8").split("\n").filter(Boolean)
}

/** Clients do not report ended sessions: when there are too many lists, the older half is removed. */
function makeRoom(folder: string): void {
  makeHomeFolder(folder)
  const names = readdirSync(folder)
  if (names.length < mostSessions) return
  const timeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const byAge = names.map((name) => ({ name, time: timeOf(name) })).sort((one, other) => other.time - one.time)
  for (const { name } of byAge.slice(mostSessions / 2)) removeFromHome(join(folder, name))
}
