import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { sha256 } from "../disk/sha256.ts"
import { isSessionId } from "../formats/session/session-id.ts"
import type { IndexReader } from "../index/index-store.ts"
import { lookAtPlainFile } from "./file-look.ts"
import { withoutSessions } from "./list-session-files.ts"

/** The inputs of the guard compiler besides the index. */
export type GuardSources = {
  /** The folder of the sessions; undefined if it is not usable. */
  sessions: string | undefined
  /** Ids and short ids for which the user wants to be asked. */
  ask: readonly string[]
}

/** Changes with any input of the guards. Bump the number at its beginning to recompile all files. */
export async function guardsStamp(
  index: Pick<IndexReader, "origins">,
  { sessions, ask }: GuardSources,
): Promise<string> {
  const origins = [...withoutSessions(await index.origins())].map((origin) => origin.join(" ")).sort()
  return sha256(["3", ...ask, ...origins, ...lookAtSessions(sessions)].join("\n")).slice(0, 32)
}

/** Older sessions are considered finished. */
const newestSessions = 20
const mostFiles = 100

function lookAtSessions(folder: string | undefined): string[] {
  if (folder === undefined || !statSync(folder, { throwIfNoEntry: false })) return []
  const newest = readdirSync(folder).filter(isSessionId).sort().slice(-newestSessions)
  return newest.flatMap((id) => {
    const path = join(folder, id)
    const names = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : []
    return names
      .filter((name) => /^(?:agent-memory(?!-archive)|metadata).*\.yaml$/.test(name))
      .slice(0, mostFiles)
      .map((name) => `${id}/${name} ${lookAtPlainFile(join(path, name))?.text}`)
  })
}

/** The stamp at the beginning of a compiled file. */
export function stampIn(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined
  const file = openSync(path, "r")
  try {
    const start = Buffer.alloc(64)
    const length = readSync(file, start, 0, start.length, 0)
    return /^\{"format":1,"stamp":"([0-9a-f]{32})"/.exec(start.toString("latin1", 0, length))?.[1]
  } finally {
    closeSync(file)
  }
}
