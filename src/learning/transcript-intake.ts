import { statSync } from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { Batch, Client, Transcript } from "../clients/client.ts"
import { fileError } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import type { ClientId, Position, TranscriptEvent } from "../formats/client-events.ts"
import type { Episode, EpisodeEvent } from "../memories/episode.ts"
import type { LearnedStore } from "../memories/learned-store.ts"
import { compressEvent } from "./episodes/compressed-event.ts"
import { openSegmenter, type Segmenter } from "./episodes/segmenter.ts"
import type { LearningParts, LearningProject } from "./learning-parts.ts"

/** The result of reading a transcript. */
export type TranscriptIntake = {
  records: number
  unknown: Record<string, number>
  events: number
  /** Events that were already known: forks and resumed sessions copy earlier events. */
  repeated: number
  /** Closed episodes, by reason only: a long transcript's episodes would not fit in memory. */
  episodes: Pick<Episode, "flushReason">[]
}

export type TranscriptIntakeOptions = {
  /** The project of a session in this directory; undefined: the transcript is skipped. */
  projectOf(directory: string | undefined): LearningProject | undefined
  /** Called with the reason why a transcript could not be read, or not to its end. */
  onUnreadable(message: string): void
  /** Called with the number of bytes read. */
  progress?: (bytes: number) => void
  /** Called with every new event as it will be stored. */
  observe?: (client: ClientId, event: EpisodeEvent) => void
}

type TakeInParts = Pick<LearningParts, "store" | "policyOf">

/** The most that is read of a transcript to find the directories of its sessions. */
const mostHeldBytes = 8 * 1024 * 1024

/**
 * Reads a transcript from its last position, batch by batch. Events, closed episodes and the new position are stored in
 * one transaction, so a killed process loses and repeats nothing. Undefined when it belongs to no requested project; a
 * file without a directory so far yields nothing yet.
 */
export async function readTranscriptInto(
  parts: TakeInParts,
  client: Client,
  transcript: Transcript,
  options: TranscriptIntakeOptions,
): Promise<TranscriptIntake | undefined> {
  const taken: TranscriptIntake = { records: 0, unknown: {}, events: 0, repeated: 0, episodes: [] }
  const from = await parts.store.position(client.id, transcript.path, transcript.session)
  const places: SessionPlaces = new Map()
  const reading = { client, transcript, places, sessions: new Map<string, IntakeSession>(), taken, options }
  const placing = { store: parts.store, client: client.id, projectOf: options.projectOf }
  let project: LearningProject | undefined // of the first session, and of those without a directory
  let held: Batch | undefined // the first batches only identify the project and do not justify a transaction of their own
  for await (const read of readBatches(client, transcript, from, options.onUnreadable)) {
    await nextTurn() // a watch also answers on its socket meanwhile
    const batch = held ? joinBatches(held, read) : read
    const isNew = project === undefined
    await placeSessions(places, batch.events, placing)
    const isSilent = places.size === 0
    const mayWait = isSilent && (batch.events.length === 0 || batch.bytes <= mostHeldBytes)
    project ??= isSilent && !mayWait ? options.projectOf(undefined) : wantedIn(places)
    if (!project && !mayWait) return undefined
    held = isNew ? batch : undefined
    if (project && !held) await takeInBatch(parts, { ...reading, project, batch })
  }
  if (!held) return taken
  project ??= options.projectOf(undefined)
  if (project) await takeInBatch(parts, { ...reading, project, batch: held })
  // A growing file may still name its directory; a database session is complete.
  else if (held.events.length > 0 && transcript.session !== undefined) return undefined
  return taken
}

function wantedIn(places: SessionPlaces): LearningProject | undefined {
  return [...places.values()].find((project) => project !== undefined)
}

function joinBatches(one: Batch, other: Batch): Batch {
  const unknown = { ...one.unknown }
  for (const [kind, count] of Object.entries(other.unknown)) unknown[kind] = (unknown[kind] ?? 0) + count
  return {
    events: [...one.events, ...other.events],
    position: other.position,
    records: one.records + other.records,
    unknown,
    bytes: one.bytes + other.bytes,
  }
}

/** A file that can no longer be opened is reported, and the others are still read. */
async function* readBatches(
  client: Client,
  transcript: Transcript,
  from: Position | undefined,
  onUnreadable: TranscriptIntakeOptions["onUnreadable"],
): AsyncIterable<Batch> {
  try {
    yield* client.read(transcript, from)
  } catch (error) {
    const problem = error instanceof DreyError ? error : fileError(transcript.path, error)
    if (!(problem instanceof DreyError)) throw error
    onUnreadable(problem.message)
  }
}

type IntakeSession = { segmenter: Segmenter; lastTime: string }

type IntakeReading = {
  client: Client
  transcript: Transcript
  places: SessionPlaces
  /** Of sessions without a project. */
  project: LearningProject
  sessions: Map<string, IntakeSession>
  batch: Batch
  taken: TranscriptIntake
  options: TranscriptIntakeOptions
}

async function takeInBatch(parts: TakeInParts, reading: IntakeReading): Promise<void> {
  const { client, transcript, places, batch, taken, options } = reading
  const unseen = await parts.store.unseen(
    client.id,
    batch.events.map(({ id }) => id),
  )
  const episodes: Episode[] = []
  const touched = new Map<string, IntakeSession>()
  const seen: string[] = []
  for (const event of batch.events) {
    const project = places.has(event.session) ? places.get(event.session) : reading.project
    if (!project) continue
    if (!unseen.delete(event.id)) {
      taken.repeated++
      continue
    }
    seen.push(event.id)
    const session = await sessionOf(parts, reading, event.session, project)
    const compressed = compressEvent({ ...event, ts: timeOf(event, session, transcript) }, project.root)
    session.lastTime = compressed.ts
    touched.set(event.session, session)
    options.observe?.(client.id, compressed)
    const closed = session.segmenter.take(compressed)
    if (closed) episodes.push(closed)
  }
  const { path, session } = transcript
  await parts.store.takeIn({
    read: { client: client.id, path, position: batch.position, seen, ...(session === undefined ? {} : { session }) },
    open: [...touched.values()].map(({ segmenter }) => segmenter.openTask()),
    episodes,
  })
  options.progress?.(batch.bytes)
  taken.records += batch.records
  taken.events += seen.length
  for (const { flushReason } of episodes) taken.episodes.push({ flushReason })
  for (const [kind, count] of Object.entries(batch.unknown)) taken.unknown[kind] = (taken.unknown[kind] ?? 0) + count
}

/** Resumes the session's open task, even if another file or process began it. */
async function sessionOf(
  parts: TakeInParts,
  reading: IntakeReading,
  session: string,
  project: LearningProject,
): Promise<IntakeSession> {
  const known = reading.sessions.get(session)
  if (known) return known
  const { client, transcript } = reading
  const [task] = await parts.store.openTasks({ client: client.id, session })
  const identity = { client: client.id, session, project: task?.project ?? project.id, transcript: transcript.path }
  const opened = {
    segmenter: openSegmenter(parts.policyOf(project.root).episode, identity, task),
    lastTime: task?.events.at(-1)?.ts ?? "",
  }
  reading.sessions.set(session, opened)
  return opened
}

/** Some clients record no times: their events get the file's time, in order. */
function timeOf({ ts }: TranscriptEvent, { lastTime }: IntakeSession, { path }: Transcript): string {
  if (ts !== "") return ts
  return lastTime === "" ? statSync(path).mtime.toISOString() : lastTime
}

/** Sessions and their projects; undefined: a project that was not requested. */
type SessionPlaces = Map<string, LearningProject | undefined>

/**
 * Assigns each new session in these events to a project: the one in whose directory it began, however long ago. Later
 * directory changes do not matter, because the task is the same; sessions of one transcript may differ. Sessions
 * without a known directory are left out.
 */
async function placeSessions(
  places: SessionPlaces,
  events: readonly TranscriptEvent[],
  { store, client, projectOf }: PlaceOptions,
): Promise<void> {
  const beginnings = new Map<string, string | undefined>()
  for (const { session, cwd } of events)
    if (!places.has(session)) beginnings.set(session, beginnings.get(session) ?? cwd)
  for (const [session, cwd] of beginnings) {
    const directory = (await store.rootOfSession(client, session)) ?? cwd
    if (directory !== undefined) places.set(session, projectOf(directory))
  }
}

export type PlaceOptions = {
  store: Pick<LearnedStore, "rootOfSession">
  client: ClientId
  projectOf(directory: string): LearningProject | undefined
}
