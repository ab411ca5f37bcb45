import type { Episode } from "../../memories/episode.ts"
import { type EpisodeRow, episodeColumns, toEpisode } from "../../memories/episode-rows.ts"
import { currentProjectId } from "../../memories/project-id.ts"
import { ensureProject } from "../../memories/projects.ts"
import { storeSession } from "../../memories/sqlite-store.ts"
import { all, run, type Steps } from "../../memories/steps.ts"
import type { SharedMemory, TeamMemory, UseEvent } from "../api.ts"
import { type CopiedPage, copyOf, countCopies, dropCopies, readCursors, savePage, writeCursors } from "./team-copies.ts"
import {
  acknowledge,
  countParked,
  countWaiting,
  dropOldUses,
  dropOutbox,
  listOutbox,
  noteAttempt,
  noteFailure,
  putShare,
  putUnshare,
} from "./team-outbox.ts"

/** Team memory on this machine: copies of it, and the outbox to the team server. Every method is one transaction. */
export type TeamLedger = {
  /** The sync cursor of each project; `""` means global memories. */
  cursors(): Promise<Map<string, number>>
  /** Stores a page of changes with the cursors of these projects. Idempotent. */
  takeIn(page: ChangePage): Promise<CopiedPage>
  /** The new cursor of all of these. */
  setCursors(projects: readonly string[], cursor: number): Promise<void>
  /** What the server has not acknowledged, oldest first; changes that failed repeatedly come last. */
  waiting(limit: number): Promise<OutboxEntry[]>
  putShare(memory: SharedMemory): Promise<void>
  /** Cancels a share that was never sent; otherwise queues the removal. `memory` is a copy or its source. */
  putUnshare(memory: string, reason: string): Promise<"cancelled" | "waits">
  /** From now on it may have arrived. */
  noteAttempt(entry: number): Promise<void>
  /** The server failed on these; after five failures they are parked, and the return value says so. */
  noteFailure(entries: readonly number[]): Promise<boolean>
  /** The server has acknowledged it: removes it from the outbox and applies its result here. */
  acknowledge(entries: readonly number[], result?: { copy?: TeamMemory; gone?: string }): Promise<void>
  /** The copy with this id, or made from the memory with this id. */
  copyOf(memory: string): Promise<string | undefined>
  counts(): Promise<TeamCounts>
  /** Drops the oldest waiting uses beyond this number. Returns how many were dropped. */
  dropOldUses(keep: number): Promise<number>

  // Episodes
  /** Consents to share this project's episodes, from now on or from the given time. */
  consent(project: string, options: { from: string | undefined; now: string }): Promise<void>
  /** Returns whether there was a consent. */
  withdrawConsent(project: string): Promise<boolean>
  consents(): Promise<EpisodeConsent[]>
  /** Stores the server's side of the consent. */
  noteAgreement(project: string, isAgreed: boolean): Promise<void>
  /** Shared episodes not on the server yet, in chronological order. */
  unsentEpisodes(project: string, limit: number): Promise<Episode[]>
  /** Never send these again: the server has them or rejects them. */
  noteSent(episodes: readonly string[], options: { isRefused: boolean }): Promise<void>

  /** Resets the sync cursors; the outbox is kept. */
  dropCopies(): Promise<number>
  /** Removes all team data here. Returns how many copies there were. */
  drop(): Promise<number>
  close(): Promise<void>
}

export type ChangePage = {
  memories: readonly TeamMemory[]
  removed: readonly string[]
  next: number
  /** The requested projects, including `""`. */
  projects: readonly string[]
}

/** `isSetAside`: parked, so that it no longer blocks others. */
export type OutboxEntry = { entry: number; isSetAside: boolean } & (
  | { kind: "use"; occasion: string; event: Omit<UseEvent, "key"> }
  | { kind: "share"; memory: SharedMemory }
  | { kind: "unshare"; memory: string; reason: string }
)

export type TeamCounts = {
  waiting: Record<OutboxEntry["kind"], number>
  /** How many of those are parked. */
  setAside: number
  /** `project` is null for global memories; `root` is set if this machine has a checkout. */
  copies: { project: string | null; root: string | null; memories: number }[]
}

/** The team's side of a database of learned memory. */
export function teamLedger(path: string): TeamLedger {
  const { read, write, close } = storeSession(path)
  return {
    cursors: () => read(readCursors),
    takeIn: (page) => write(() => savePage(page)),
    setCursors: (projects, cursor) => write(() => writeCursors(projects, cursor)),
    waiting: (limit) => read(() => listOutbox(limit)),
    putShare: (memory) => write(() => putShare(memory)),
    putUnshare: (memory, reason) => write(() => putUnshare(memory, reason)),
    noteAttempt: (entry) => write(() => noteAttempt(entry)),
    noteFailure: (entries) => write(() => noteFailure(entries)),
    acknowledge: (entries, result = {}) => write(() => acknowledge(entries, result)),
    copyOf: (memory) => read(() => copyOf(memory)),
    counts: () => read(countTeam),
    dropOldUses: (keep) => write(() => dropOldUses(keep)),
    consent: (project, { from, now }) => write(() => consentToEpisodes(project, from, now)),
    withdrawConsent: (project) => write(() => withdrawConsent(project)),
    consents: () => read(listConsents),
    noteAgreement: (project, isAgreed) => write(() => noteAgreement(project, isAgreed)),
    unsentEpisodes: (project, limit) => read(() => listUnsent(project, limit)),
    noteSent: (episodes, { isRefused }) => write(() => noteSent(episodes, isRefused)),
    dropCopies: () => write(dropCopies),
    drop: () => write(dropTeam),
    close,
  }
}

function* countTeam(): Steps<TeamCounts> {
  return { waiting: yield* countWaiting(), setAside: yield* countParked(), copies: yield* countCopies() }
}

function* dropTeam(): Steps<number> {
  yield* dropOutbox()
  yield* dropConsents()
  return yield* dropCopies()
}

/** The user's consent to share a project's episodes with the team, and how many were sent. */
export type EpisodeConsent = {
  project: string
  root: string
  /** Episodes that began then or later. */
  from: string
  /** Whether the team has agreed, too, as of the server's latest answer; null before the first. */
  isAgreed: boolean | null
  waiting: number
  sent: number
  /** Episodes that the server rejects in any form. */
  refused: number
}

/** A repeated consent keeps its start time, unless a new one is given. */
function* consentToEpisodes(project: string, from: string | undefined, now: string): Steps<void> {
  yield* run(
    `INSERT INTO team_consents (project_id, from_ts) VALUES (:project, coalesce(:from, :now))
     ON CONFLICT (project_id) DO UPDATE SET from_ts = coalesce(:from, from_ts), is_agreed = NULL`,
    { project: yield* ensureProject(project), from: from ?? null, now },
  )
}

/** Returns whether there was a consent. Sent episodes stay recorded, so that they are not sent again. */
function* withdrawConsent(project: string): Steps<boolean> {
  return (yield* run("DELETE FROM team_consents WHERE project_id = ?", yield* currentProjectId(project))) > 0
}

function* noteAgreement(project: string, isAgreed: boolean): Steps<void> {
  yield* run("UPDATE team_consents SET is_agreed = ? WHERE project_id = ?", Number(isAgreed), project)
}

type ConsentRow = Omit<EpisodeConsent, "isAgreed"> & { isAgreed: number | null }

function* listConsents(): Steps<EpisodeConsent[]> {
  const rows = yield* all<ConsentRow>(
    `SELECT project_id AS project, root, from_ts AS "from", is_agreed AS isAgreed,
       (SELECT count(*) FROM episodes WHERE ${isWaiting}) AS waiting,
       (SELECT count(*) FROM episodes JOIN team_sent_episodes USING (episode_id)
        WHERE episodes.project_id = team_consents.project_id AND is_refused = 0) AS sent,
       (SELECT count(*) FROM episodes JOIN team_sent_episodes USING (episode_id)
        WHERE episodes.project_id = team_consents.project_id AND is_refused = 1) AS refused
     FROM team_consents JOIN projects USING (project_id) ORDER BY project_id`,
  )
  return rows.map((row) => ({ ...row, isAgreed: row.isAgreed === null ? null : row.isAgreed === 1 }))
}

/** An agent's notes in Drey's own sessions are not part of a transcript and have already been learned from. */
const isWaiting = `episodes.project_id = team_consents.project_id AND processed = 1 AND start_ts >= from_ts AND client <> 'drey'
  AND NOT EXISTS (SELECT 1 FROM team_sent_episodes WHERE team_sent_episodes.episode_id = episodes.episode_id)`

/** Episodes not on the server yet, in chronological order. None without a consent. */
function* listUnsent(project: string, limit: number): Steps<Episode[]> {
  const rows = yield* all<EpisodeRow>(
    `SELECT ${episodeColumns} FROM episodes JOIN team_consents USING (project_id)
     WHERE project_id = ? AND ${isWaiting}
     ORDER BY session_start, client, session_id, ordinal LIMIT ?`,
    project,
    limit,
  )
  return rows.map(toEpisode)
}

function* noteSent(episodes: readonly string[], isRefused: boolean): Steps<void> {
  for (const id of episodes)
    yield* run(
      "INSERT INTO team_sent_episodes (episode_id, is_refused) VALUES (?, ?) ON CONFLICT DO NOTHING",
      id,
      Number(isRefused),
    )
}

function* dropConsents(): Steps<void> {
  yield* run("DELETE FROM team_consents")
  yield* run("DELETE FROM team_sent_episodes")
}
