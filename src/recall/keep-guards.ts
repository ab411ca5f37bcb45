import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { isRecord } from "../disk/parse-json.ts"
import { sha256 } from "../disk/sha256.ts"
import { makeFolder, writeFileAtomic } from "../disk/write-file-atomic.ts"
import { isSessionId } from "../formats/session/session-id.ts"
import { compileGuards, type FailedAttempt } from "./compile-guards.ts"
import { lookAtPlainFile } from "./file-look.ts"
import { withoutSessions } from "./list-session-files.ts"
import type { CompiledGuard, GuardsFile } from "./match-guards.ts"
import type { RecallParts } from "./recall-parts.ts"

export type GuardsPlace = {
  /** The compiled file. */
  path: string
  /** The folder of the sessions; undefined where it cannot be used. */
  sessions: string | undefined
  /** Ids and handles of what the user wants to be asked about. */
  ask: readonly string[]
  /** What failed in the sessions that have not ended. */
  attempts(): Promise<readonly FailedAttempt[]>
}

/** Compiles the guards anew where anything changed that they are made from; else this costs a look at the newest sessions. */
export async function keepGuards(parts: RecallParts, place: GuardsPlace): Promise<void> {
  const stamp = await stampOf(parts, place)
  if (stampIn(place.path) === stamp) return
  const guards = await compileGuards(parts, { attempts: await place.attempts(), ask: place.ask })
  makeFolder(dirname(place.path), 0o700)
  const file: GuardsFile = { format: 1, stamp, guards } // in this order: see `stampIn`
  writeFileAtomic(place.path, JSON.stringify(file), { mode: 0o600, derived: true })
}

/** Whatever cannot be read is compiled again, and warns of nothing until then. */
export function readGuards(path: string): CompiledGuard[] {
  try {
    const file: unknown = JSON.parse(readFileSync(path, "utf8"))
    return isRecord(file) && file.format === 1 && Array.isArray(file.guards) ? file.guards : []
  } catch {
    return []
  }
}

async function stampOf({ index }: RecallParts, { sessions, ask }: GuardsPlace): Promise<string> {
  const origins = [...withoutSessions(await index.origins())].map((origin) => origin.join(" ")).sort()
  return sha256(["1", ...ask, ...origins, ...lookAtSessions(sessions)].join("\n")).slice(0, 32)
}

/** Those before are over, or nobody would know what they were about. */
const newestSessions = 20

function lookAtSessions(folder: string | undefined): string[] {
  if (folder === undefined || !statSync(folder, { throwIfNoEntry: false })) return []
  const newest = readdirSync(folder).filter(isSessionId).sort().slice(-newestSessions)
  return newest.flatMap((id) => {
    const names = statSync(join(folder, id), { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(join(folder, id))
      : []
    return names
      .filter((name) => /^(?:agent-memory(?!-archive)|metadata).*\.yaml$/.test(name))
      .map((name) => `${id}/${name} ${lookAtPlainFile(join(folder, id, name))?.text}`)
  })
}

/** The beginning of the file is enough. */
function stampIn(path: string): string | undefined {
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
