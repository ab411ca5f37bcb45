import { statSync } from "node:fs"
import type { Client, ClientId, Transcript } from "../clients/client.ts"
import { withLock } from "../disk/lock.ts"
import type { EpisodeEvent } from "../episodes/episode.ts"
import { closeIdleTasks } from "./close-tasks.ts"
import { openProjectFinder } from "./find-project.ts"
import { type Graduation, graduate, nothingGraduated } from "./graduate.ts"
import { type Learned, learnFromEpisodes, nothingLearned } from "./learn.ts"
import type { LearningParts, Project } from "./learning-parts.ts"
import { type PausedProject, partByPause } from "./part-by-pause.ts"
import { partByPolicy, requireMendable, type TroubledProject } from "./part-by-policy.ts"
import { takeInTranscript } from "./take-in.ts"

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
  graduation: Graduation
  /** Unreadable transcripts with the reason. */
  unreadable: { path: string; message: string }[]
  /** Projects that were skipped because the user paused learning. */
  paused: PausedProject[]
  /** Projects that were skipped because of an error the user must fix first. */
  troubled: TroubledProject[]
}

export type IngestOptions = {
  projects: readonly Project[]
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
function throwIfNoneIsLeft(troubled: readonly TroubledProject[], projects: readonly Project[]): void {
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
  const troubled: TroubledProject[] = []
  for (const project of options.learn === false ? [] : options.projects) {
    try {
      await learnAndGraduate(parts, project, options, { learned, graduation })
    } catch (error) {
      troubled.push({ project, error: requireMendable(error) })
    }
  }
  const { closed, ...counts } = read
  return { ...counts, episodes: closed.length + idle.length, flushed, learned, graduation, troubled }
}

async function learnAndGraduate(
  parts: LearningParts,
  project: Project,
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
  const projectOf = (directory: string | undefined): Project | undefined => {
    const found = directory === undefined ? undefined : findProject(directory)
    if (found && known.some(({ id }) => id === found.id)) return wanted.get(found.id)
    return options.named === true ? options.projects[0] : undefined
  }
  const byId = new Map<ClientId, Client>(clients.map((client) => [client.id, client]))
  const transcripts = options.transcripts ?? clients.flatMap((client) => client.find(machine))
  const total = transcripts.reduce((sum, { path }) => sum + sizeOf(path), 0)
  const read: Reading = {
    files: 0,
    records: 0,
    unknown: {},
    events: 0,
    repeated: 0,
    unreadable: [],
    closed: [],
  }
  let done = 0
  for (const transcript of transcripts) {
    const client = byId.get(transcript.client)
    if (!client || options.signal?.aborted) continue
    const before = done
    const taken = await takeInTranscript(parts, client, transcript, {
      projectOf,
      onUnreadable: (message) => read.unreadable.push({ path: transcript.path, message }),
      progress: (bytes) => {
        done += bytes
        options.progress?.("reading", done, total)
      },
      ...(options.observe ? { observe: options.observe } : {}),
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

type Reading = Pick<Ingestion, "files" | "records" | "unknown" | "events" | "repeated" | "unreadable"> & {
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
