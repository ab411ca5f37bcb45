import { join } from "node:path"
import { listUncommitted } from "../../disk/git.ts"
import { namesIn } from "../../disk/text-files.ts"
import type { ClientSession } from "../../formats/client-session.ts"
import { parseLogName } from "../../formats/legacy/dates.ts"
import { agentKey } from "../../formats/text.ts"
import { instantOf } from "../../formats/timestamp.ts"
import type { StoredItem } from "../../index/index-store.ts"
import type { TeamStore } from "../../team/team-folder.ts"
import { listUpkeep, type UpkeepRecord } from "../../team/upkeep.ts"
import { readPayload, type SessionPayload } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { listSessionFiles } from "../sync/origins.ts"
import type { OpenEnd } from "../sync/session-items.ts"
import { duplicateTest } from "./item-search.ts"

export type SessionNote = StoredItem & Pick<SessionPayload, "session" | "result">
export type SessionLog = { path: string; topic: string; at: number }

/** A session of a coding agent with the entries written during it. */
export type RecentSession = ClientSession & { decided: StoredItem[] }

/** What a period of work produced, newest first; `newest` is the latest time on record, within it or before. */
export type Recent = {
  sessions: RecentSession[]
  from: number
  to: number
  newest: number | undefined
  entries: StoredItem[]
  logs: SessionLog[]
  /** Agents' notes in working sessions. */
  notes: SessionNote[]
  /** What the upkeep in the background changed. */
  upkeep: UpkeepRecord[]
  /** What those sessions left open. */
  open: OpenEnd[]
  /** Files that are not committed now; empty where only one agent's work is shown. */
  uncommitted: string[]
}

/** A longer pause starts another session. */
const pauseMs = 6 * 60 * 60 * 1000
const dayMs = 24 * 60 * 60 * 1000
const logFolders = ["log", "orchestration-log"]

/**
 * The last session: the newest entries and logs, back to the first long pause. `forMs` returns everything of that
 * period instead, `since` everything from then on.
 */
export async function findRecent(
  parts: RecallParts,
  { store, sessions }: { store: TeamStore; sessions: string | undefined },
  options: {
    agent?: string | undefined
    forMs?: number | undefined
    /** Since the first of these sessions, not only the last period of work. */
    isSince?: boolean
    sessions?: readonly ClientSession[]
  },
): Promise<Recent | undefined> {
  const { sessions: worked = [] } = options
  const now = parts.now().getTime()
  const agent = agentKey(options.agent)
  const sources = ["decisions", "inbox", "history", "memory", "policy", "session"] as const
  const items = (await parts.index.select({ agent: "*", superseded: true, sources: [...sources] }, { now })).filter(
    (item) => item.at !== undefined && hasCome(item.at, now) && (agent === undefined || isBy(item, agent)),
  )
  const logs = store.folders
    .flatMap(({ name, path }) => logFolders.flatMap((folder) => logsIn(join(path, folder), `${name}/${folder}`)))
    .filter(({ at, path }) => hasCome(at, now) && (agent === undefined || isLogOf(path, agent)))
  const moments = [...items.map(({ at }) => at ?? 0), ...logs.map(({ at }) => at), ...worked.map(({ end }) => end)]
  moments.sort((one, other) => other - one)
  const from = options.forMs === undefined ? startOf(moments, worked, options.isSince === true) : now - options.forMs
  if (from === undefined) return undefined
  const found = items.filter(({ at }) => (at ?? 0) >= from)
  const isCopy = duplicateTest()
  const notes = found.flatMap((item) => (isCopy(item) ? [] : toNote(item)))
  const entries = found.filter(({ source }) => source !== "session")
  return {
    sessions: worked.map((session) => ({
      ...session,
      decided: entries.filter((entry) => isOf(entry, session, worked)),
    })),
    from,
    to: Math.max(from, moments[0] ?? from),
    newest: moments[0],
    entries,
    logs: logs
      .filter(({ at }) => at >= from)
      .sort((one, other) => other.at - one.at || (one.path < other.path ? -1 : 1)),
    notes,
    upkeep: agent === undefined ? listUpkeep(store).filter(({ at }) => at >= from) : [],
    open: await openEndsOf(notes, store.root, sessions, agent),
    uncommitted: agent === undefined ? await listUncommitted(store.root) : [],
  }
}

function startOf(moments: readonly number[], sessions: readonly ClientSession[], isSince: boolean): number | undefined {
  const starts = sessions.map(({ start }) => start)
  if (isSince && starts.length > 0) return Math.min(...starts)
  const start = startOfSession(moments)
  if (start === undefined) return undefined
  return Math.min(start, ...sessions.filter(({ end }) => end >= start).map((session) => session.start))
}

/** Decisions at the end of a session are written a little later. */
const afterwardsMs = 10 * 60 * 1000

/**
 * An entry belongs to the last session that had started when it was written. An entry with only a date belongs to the
 * last session of that day.
 */
function isOf(entry: StoredItem, session: ClientSession, all: readonly ClientSession[]): boolean {
  const at = entry.at ?? 0
  const covers = ({ start, end }: ClientSession) =>
    entry.dayOnly
      ? Math.floor(at / dayMs) >= Math.floor(start / dayMs) && Math.floor(at / dayMs) <= Math.floor(end / dayMs)
      : at >= start && at <= end + afterwardsMs
  const [last] = all.filter(covers).sort((one, other) => other.start - one.start)
  return last === session
}

async function openEndsOf(
  notes: readonly SessionNote[],
  root: string,
  folder: string | undefined,
  agent: string | undefined,
): Promise<OpenEnd[]> {
  if (folder === undefined || notes.length === 0) return []
  const { readOpenEnds } = await import("../sync/session-items.ts") // pulls in a YAML parser and the schemas
  const open = readOpenEnds(listSessionFiles(root, folder), new Set(notes.map(({ session }) => session)))
  return open.filter((end) => agent === undefined || agentKey(end.agent) === agent)
}

function toNote(item: StoredItem): SessionNote[] {
  const payload = item.source === "session" ? readPayload(item) : undefined
  // An attempt that Drey observed is part of the client's session, which is listed itself.
  if (payload?.kind !== "session" || (payload.isObserved && item.type === "attempt")) return []
  const { kind, isObserved: _, ...note } = payload
  return [{ ...item, ...note }]
}

/** Clocks differ, and a date without a time counts as noon: up to a day ahead is accepted. */
function hasCome(at: number, now: number): boolean {
  return at <= now + dayMs
}

/**
 * Walks back from the newest. Many entries have only a date, so a session reaches back at least to the start of its
 * day.
 */
function startOfSession(moments: readonly number[]): number | undefined {
  const [newest, ...older] = moments
  if (newest === undefined) return undefined
  let start = newest
  for (const at of older) {
    if (start - at > pauseMs && at < newest - (newest % dayMs)) break
    start = at
  }
  return start
}

function logsIn(folder: string, shown: string): SessionLog[] {
  return namesIn(folder).flatMap((name) => {
    const log = /\.md$/i.test(name) ? parseLogName(name) : undefined
    return log
      ? [{ path: `${shown}/${name}`, topic: log.topic.replace(/[-_]+/g, " "), at: instantOf(log.timestamp) }]
      : []
  })
}

/** A log belongs to the agent in its file name: 2026-02-14T12-00-00Z-kane.md. */
function isLogOf(path: string, agent: string): boolean {
  const name = agentKey(path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/i, "")) ?? ""
  return `-${name.replace(/_/g, "-")}-`.includes(`-${agent}-`)
}

function isBy(item: StoredItem, agent: string): boolean {
  return item.agent === agent || [item.author, ...item.contributors].some((name) => agentKey(name) === agent)
}
