import { existsSync, realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import type { Client, Transcript } from "../clients/client.ts"
import { withLock } from "../disk/lock.ts"
import { DreyError } from "../errors.ts"
import type { ClientId } from "../formats/client-events.ts"
import { openLog } from "../log.ts"
import type { EpisodeEvent } from "../memories/episode.ts"
import { projectIdOf } from "../memories/project-id.ts"
import { findTeamFolders } from "../team/team-folder.ts"
import { closeIdleTasks } from "./flush.ts"
import { graduate, type LearnedGraduation, nothingGraduated } from "./learned-graduation.ts"
import { type Learned, learnFromEpisodes, nothingLearned } from "./learner.ts"
import {
  type LearningParts,
  type LearningProject,
  type PausedProject,
  partByPause,
  partByPolicy,
  requireDreyError,
  type UnreadableProject,
} from "./learning-parts.ts"
import { readTranscriptInto } from "./transcript-intake.ts"

/** What was read and learned. */
export type Ingestion = {
  /** Transcripts with new content. */
  files: number
  records: number
  unknown: Record<string, number>
  events: number
  repeated: number
  /** Closed episodes, for any reason. */
  episodes: number
  /** By reason. */
  flushed: Record<string, number>
  learned: Learned
  graduation: LearnedGraduation
  /** Unreadable transcripts with the reason. */
  unreadable: { path: string; message: string }[]
  /** Projects that were skipped because the user paused learning. */
  paused: PausedProject[]
  /** Projects that were skipped because of an error the user must fix first. */
  troubled: UnreadableProject[]
}

export type IngestOptions = {
  projects: readonly LearningProject[]
  /** Undefined: all transcripts found. */
  transcripts?: readonly Transcript[] | undefined
  /** The user named the transcripts: those of an unknown project are assigned to the first project. */
  named?: boolean
  progress?: (stage: "reading" | "learning", done: number, total: number) => void
  observe?: (client: ClientId, event: EpisodeEvent) => void
  /** Also retries episodes parked after too many attempts. */
  parked?: boolean
  /** False: closed episodes are learned from later. */
  learn?: boolean
  /** Called for each transcript that belongs to none of the projects. */
  onForeign?: (transcript: Transcript) => void
  /** Called for each transcript processed. */
  onLook?: (transcript: Transcript) => void
  /** How long to wait for another process's lock. */
  waitMs?: number
  /** Stops between two steps without losing anything. */
  signal?: AbortSignal
}

/**
 * Reads transcripts into episodes, closes idle tasks and learns from waiting episodes, resuming interrupted work first.
 */
export async function ingest(parts: LearningParts, options: IngestOptions): Promise<Ingestion> {
  const { awake, paused } = partByPause(parts, options.projects)
  const { readable, troubled } = partByPolicy(parts, awake)
  throwIfNoneIsLeft(troubled, awake)
  const nothing = awake.length === 0 ? { transcripts: [] } : {}
  const act = () => ingestLocked(parts, { ...options, projects: readable, ...nothing })
  const ingestion = await withLock(parts.lockPath, act, { waitMs: options.waitMs ?? 60_000 })
  const all = [...troubled, ...ingestion.troubled]
  throwIfNoneIsLeft(all, awake)
  return { ...ingestion, paused, troubled: all }
}

/** An error in some of several projects is reported beside the result; an error in all of them is thrown. */
function throwIfNoneIsLeft(troubled: readonly UnreadableProject[], projects: readonly LearningProject[]): void {
  const [first] = troubled
  if (first && troubled.length === projects.length) throw first.error
}

async function ingestLocked(parts: LearningParts, options: IngestOptions): Promise<Omit<Ingestion, "paused">> {
  const read = await readTranscripts(parts, options)
  const idle = await closeIdleTasks(parts, options.projects)
  const flushed: Record<string, number> = {}
  for (const { flushReason } of [...read.closed, ...idle]) flushed[flushReason] = (flushed[flushReason] ?? 0) + 1
  const learned = nothingLearned()
  const graduation = nothingGraduated()
  const troubled: UnreadableProject[] = []
  for (const project of options.learn === false ? [] : options.projects) {
    try {
      await learnAndGraduate(parts, project, options, { learned, graduation })
    } catch (error) {
      troubled.push({ project, error: requireDreyError(error) })
    }
  }
  const { closed, ...counts } = read
  return { ...counts, episodes: closed.length + idle.length, flushed, learned, graduation, troubled }
}

async function learnAndGraduate(
  parts: LearningParts,
  project: LearningProject,
  { progress, parked = false, signal }: IngestOptions,
  { learned, graduation }: Pick<Ingestion, "learned" | "graduation">,
): Promise<void> {
  const more = await learnFromEpisodes(parts, project, {
    progress: (done, total) => progress?.("learning", done, total),
    parked,
    ...(signal ? { signal } : {}),
  })
  learned.episodes += more.episodes
  for (const key of ["skipped", "postponed", "outcomes", "evaluations"] as const)
    learned[key].push(...(more[key] as never[]))
  const grown = await graduate(parts, project)
  for (const key of ["proposed", "skills", "refused"] as const) graduation[key].push(...(grown[key] as never[]))
}

async function readTranscripts(parts: LearningParts, options: IngestOptions) {
  const { store, clients, machine } = parts
  const known = await store.projects()
  const findProject = openProjectFinder(known, parts.identify)
  const wanted = new Map(options.projects.map((project) => [project.id, project]))
  const projectOf = (directory: string | undefined): LearningProject | undefined => {
    const found = directory === undefined ? undefined : findProject(directory)
    if (found && known.some(({ id }) => id === found.id)) return wanted.get(found.id)
    return options.named === true ? options.projects[0] : undefined
  }
  const byId = new Map<ClientId, Client>(clients.map((client) => [client.id, client]))
  const transcripts = options.transcripts ?? clients.flatMap((client) => client.find(machine))
  const total = transcripts.reduce((sum, { path }) => sum + sizeOf(path), 0)
  const read: TranscriptCounts = {
    files: 0,
    records: 0,
    unknown: {},
    events: 0,
    repeated: 0,
    unreadable: [],
    closed: [],
  }
  let done = 0
  const log = openLog("learning")
  for (const transcript of transcripts) {
    const client = byId.get(transcript.client)
    if (!client || options.signal?.aborted) continue
    const before = done
    const taken = await readTranscriptInto(parts, client, transcript, {
      projectOf,
      onUnreadable: (message) => read.unreadable.push({ path: transcript.path, message }),
      progress: (bytes) => {
        done += bytes
        options.progress?.("reading", done, total)
      },
      ...(options.observe ? { observe: options.observe } : {}),
    })
    log?.("ingest", {
      client: client.id,
      file: transcript.path,
      project: taken ? "wanted" : "foreign",
      records: taken?.records,
      events: taken?.events,
      episodes: taken?.episodes.length,
    })
    options.onLook?.(transcript)
    done = Math.max(done, before + sizeOf(transcript.path))
    if (!taken) {
      options.onForeign?.(transcript)
      continue
    }
    if (taken.records > 0) read.files++
    read.records += taken.records
    read.events += taken.events
    read.repeated += taken.repeated
    read.closed.push(...taken.episodes)
    for (const [kind, count] of Object.entries(taken.unknown)) {
      const name = `${client.id}: ${kind}`
      read.unknown[name] = (read.unknown[name] ?? 0) + count
    }
  }
  return read
}

type TranscriptCounts = Pick<Ingestion, "files" | "records" | "unknown" | "events" | "repeated" | "unreadable"> & {
  closed: { flushReason: string }[]
}

/** For the progress bar only: errors are reported when the transcript is read. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

/** `left`: changed transcripts that could not be read in time; `problem`: why none could be. */
export type CatchUp = { read: number; left: number; problem?: string }

const longestMs = 2000
/** About what can be read in one second. */
const mostBytes = 16 * 1024 * 1024
/** A session that ended earlier may have been read later. */
const slackMs = 24 * 60 * 60 * 1000

/**
 * Reads new transcript content of a project, newest first, for at most about two seconds, because the caller waits.
 * Learning is left out: it may need a model. `since`: what changed earlier is known or not wanted.
 */
export async function catchUp(parts: LearningParts, project: LearningProject, since: number): Promise<CatchUp> {
  const changed = await listChanged(parts, since - slackMs)
  let looks = 0
  try {
    const { files } = await ingest(parts, {
      projects: [project],
      transcripts: takeWhatFits(changed),
      learn: false,
      waitMs: longestMs,
      signal: AbortSignal.timeout(longestMs),
      onLook: () => looks++,
    })
    return { read: files, left: changed.length - looks }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { read: 0, left: changed.length, problem: error.message } // earlier sessions can still be shown
  }
}

type ChangedTranscript = { transcript: Transcript; bytes: number; at: number }

async function listChanged({ clients, machine, store }: LearningParts, since: number): Promise<ChangedTranscript[]> {
  const changed: ChangedTranscript[] = []
  for (const transcript of clients.flatMap((client) => client.find(machine))) {
    const { client, path, session } = transcript
    const file = statSync(path, { throwIfNoEntry: false })
    if (!file || file.mtimeMs < since) continue
    const position = await store.position(client, path, session)
    const isRead = position !== undefined && position.offset >= file.size
    // A session's share of a database is unknown, and small.
    const bytes = session === undefined ? file.size - (position?.offset ?? 0) : 0
    if (!isRead) changed.push({ transcript, bytes, at: file.mtimeMs })
  }
  return changed.sort((one, other) => other.at - one.at)
}

function takeWhatFits(changed: readonly ChangedTranscript[]): Transcript[] {
  let left = mostBytes
  return changed.flatMap(({ transcript, bytes }) => {
    if (bytes > left) return []
    left -= bytes
    return [transcript]
  })
}

export type KnownProject = LearningProject & { aliases: readonly string[] }

/**
 * Finds the project of a directory recorded in a transcript. An existing directory decides by itself: a nested
 * repository is its own project, known or not. A deleted one, such as a worktree, is matched by its path.
 */
export function openProjectFinder(
  known: readonly KnownProject[],
  identify = (root: string): string => projectIdOf(root).id,
): (directory: string) => LearningProject | undefined {
  const found = new Map<string, LearningProject | undefined>()
  const roots = known
    .flatMap((project) => [project.root, ...project.aliases].flatMap((root) => withRealPath(root, project)))
    .sort((one, other) => other.root.length - one.root.length) // the innermost of nested projects wins
  const plainIds = new Map(known.map((project) => [plainIdOf(project.root), project]))
  const findAround = (directory: string): LearningProject | undefined =>
    roots.find(({ root }) => directory === root || directory.startsWith(root + sep))?.project
  const look = (directory: string): LearningProject | undefined => {
    if (!isFolder(directory)) return findAround(directory)
    const store = findTeamFolders(realpathSync(directory))
    if (!isMarked(store)) return findAround(store.root)
    const id = identify(store.root)
    return known.find((project) => project.id === id) ?? plainIds.get(id) ?? { id, root: store.root }
  }
  return (directory) => {
    if (!found.has(directory)) found.set(directory, look(directory))
    return found.get(directory)
  }
}

function withRealPath(root: string, project: LearningProject): { root: string; project: LearningProject }[] {
  return [root, realPathOf(root)].map((each) => ({ root: each, project }))
}

/** The project id by its files, which the configuration may override; none when the project is gone. */
function plainIdOf(root: string): string | undefined {
  const { id, root: nearest } = projectIdOf(root)
  return nearest === realPathOf(root) ? id : undefined
}

/** Whether it is a project root, and not merely where the search began. */
function isMarked({ root, folders }: ReturnType<typeof findTeamFolders>): boolean {
  return folders.length > 0 || existsSync(join(root, ".git"))
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}
