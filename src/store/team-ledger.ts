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

/** What a team's memory is on this machine: copies of it, and what is to be told to the team server. Every method is one transaction. */
export type TeamLedger = {
  /** How far the changes of each project have been taken in; `""` stands for what is every project's. */
  cursors(): Promise<Map<string, number>>
  /** Takes in a page of changes and how far these projects have come with it. A page that was taken in before changes nothing. */
  takeIn(page: ChangePage): Promise<TakenIn>
  /** All of these have come so far. */
  setCursors(projects: readonly string[], cursor: number): Promise<void>
  /** What the server has not acknowledged, the oldest first; at the end what it failed over again and again. */
  waiting(limit: number): Promise<OutboxEntry[]>
  putShare(memory: SharedMemory): Promise<void>
  /** Takes back what was never sent; else the server is to be asked. `memory` is a copy, or what it is a copy of. */
  putUnshare(memory: string, reason: string): Promise<"taken back" | "waits">
  /** From now on it may have arrived. */
  noteAttempt(entry: number): Promise<void>
  /** The server failed over these; after five times they are set aside, which is told. */
  noteFailure(entries: readonly number[]): Promise<boolean>
  /** The server has it: it is waited for no longer. What came or went with it is here as well from then on. */
  acknowledge(entries: readonly number[], result?: { copy?: TeamMemory; gone?: string }): Promise<void>
  /** The copy that a name stands for: its own id, or that of the memory it was made of. */
  copyOf(memory: string): Promise<string | undefined>
  counts(): Promise<TeamCounts>
  /** Of the uses that wait, the oldest go until so many are left. Returns how many went. */
  dropOldUses(keep: number): Promise<number>

  // Episodes
  /** From now on, or from the time that is given on, the team may have the episodes of this project. */
  consent(project: string, options: { from: string | undefined; now: string }): Promise<void>
  /** Returns whether there was a consent. */
  withdrawConsent(project: string): Promise<boolean>
  consents(): Promise<EpisodeConsent[]>
  /** What the server says of its own side. */
  noteAgreement(project: string, isAgreed: boolean): Promise<void>
  /** What the user consented to and the server does not have, in the order of the work. */
  unsentEpisodes(project: string, limit: number): Promise<Episode[]>
  /** They are not to be sent again: the server has them, or will never take them. */
  noteSent(episodes: readonly string[], options: { isRefused: boolean }): Promise<void>

  /** As if nothing had been taken in yet; what waits goes on waiting. */
  dropCopies(): Promise<number>
  /** Nothing of the team is left here. Returns how many copies there were. */
  drop(): Promise<number>
  close(): Promise<void>
}

export type ChangePage = {
  memories: readonly TeamMemory[]
  removed: readonly string[]
  next: number
  /** Those that were asked for, `""` among them. */
  projects: readonly string[]
}

/** `isSetAside`: it stands in nobody's way any more. */
export type OutboxEntry = { entry: number; isSetAside: boolean } & (
  | { kind: "use"; occasion: string; event: Omit<UseEvent, "key"> }
  | { kind: "share"; memory: SharedMemory }
  | { kind: "unshare"; memory: string; reason: string }
)

export type TeamCounts = {
  waiting: Record<OutboxEntry["kind"], number>
  /** How many of those are set aside. */
  setAside: number
  /** `project` is null for what is every project's; `root` where this machine has one. */
  copies: { project: string | null; root: string | null; memories: number }[]
}

/** The team's side of a file of learned memory. */
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
