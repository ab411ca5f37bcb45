import type { Episode } from "../episodes/episode.ts"
import type { SharedMemory, TeamMemory, UseEvent } from "../team/api.ts"
import type { Steps } from "./steps.ts"
import { storeSession } from "./store-session.ts"
import { copyOf, countCopies, dropCopies, readCursors, type TakenIn, takeInPage, writeCursors } from "./team-copies.ts"
import {
  consentToEpisodes,
  dropConsents,
  type EpisodeConsent,
  listConsents,
  listUnsent,
  noteAgreement,
  noteSent,
  withdrawConsent,
} from "./team-episodes.ts"
import {
  acknowledge,
  countSetAside,
  countWaiting,
  dropOldUses,
  dropOutbox,
  listWaiting,
  noteAttempt,
  noteFailure,
  putShare,
  putUnshare,
} from "./team-outbox.ts"

/** Team memory on this machine: copies of it, and the outbox to the team server. Every method is one transaction. */
export type TeamLedger = {
  /** The sync cursor of each project; `""` stands for global memories. */
  cursors(): Promise<Map<string, number>>
  /** Stores a page of changes with the cursors of these projects. Idempotent. */
  takeIn(page: ChangePage): Promise<TakenIn>
  /** The new cursor of all of these. */
  setCursors(projects: readonly string[], cursor: number): Promise<void>
  /** What the server has not acknowledged, oldest first; changes that failed repeatedly come last. */
  waiting(limit: number): Promise<OutboxEntry[]>
  putShare(memory: SharedMemory): Promise<void>
  /** Cancels a share that was never sent; otherwise queues the removal. `memory` is a copy or its source. */
  putUnshare(memory: string, reason: string): Promise<"taken back" | "waits">
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
    takeIn: (page) => write(() => takeInPage(page)),
    setCursors: (projects, cursor) => write(() => writeCursors(projects, cursor)),
    waiting: (limit) => read(() => listWaiting(limit)),
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
  return { waiting: yield* countWaiting(), setAside: yield* countSetAside(), copies: yield* countCopies() }
}

function* dropTeam(): Steps<number> {
  yield* dropOutbox()
  yield* dropConsents()
  return yield* dropCopies()
}
