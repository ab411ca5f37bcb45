import { type BigIntStats, type FSWatcher, statSync, watch } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { Transcript } from "../clients/client.ts"
import { withLock } from "../disk/lock.ts"
import { codeOf } from "../disk/text-files.ts"
import { errorSentence } from "../errors.ts"
import { closeTasks } from "./flush.ts"
import { type Ingestion, ingest } from "./ingest.ts"
import { graduate } from "./learned-graduation.ts"
import { learnFromEpisodes } from "./learner.ts"
import {
  type LearningParts,
  type LearningProject,
  partByPolicy,
  requireDreyError,
  type UnreadableProject,
} from "./learning-parts.ts"
import { evaluateProject } from "./project-evaluation.ts"

export type TranscriptWatchOptions = {
  /** Called before every scan: projects come, go and are paused meanwhile. */
  projects: () => Promise<readonly LearningProject[]>
  /** The longest time between two scans. */
  pollMs?: number
  /** Stops the watch. */
  signal: AbortSignal
  /** Called for every round in which something was read, closed or learned. */
  onRound?: (ingestion: Ingestion) => void
}

const defaultPollMs = 2000
/** Other commands may hold the lock for as long as a model takes. */
const lockWaitMs = 5000

/**
 * Learns from transcripts as they are written, until the signal. Each scan uses the same code and lock as `ingest`, so
 * commands get their turn. On shutdown open tasks are closed without calling a model: their episodes wait for the next
 * run.
 */
export async function watchTranscripts(parts: LearningParts, options: TranscriptWatchOptions): Promise<void> {
  const { signal, pollMs = defaultPollMs } = options
  const looks = openTranscriptScanner(parts)
  const wakeUp = openWakeUp(signal)
  const writerPause = openWriterPause(parts.now)
  const tellOnce = openTellOnce(parts.warn)
  let dueAt = Number.NEGATIVE_INFINITY
  let isCurrent = false

  const readableProjects = async (): Promise<LearningProject[]> => {
    const { readable, troubled } = partByPolicy(parts, await options.projects())
    tellOnce("policies", troubled.map(troubleOf))
    return readable
  }
  const look = async (isLast: boolean): Promise<void> => {
    const projects = await readableProjects()
    if (projects.length === 0) return
    const changed = looks.changed(projects)
    if (changed.length === 0 && parts.now().getTime() < dueAt && !writerPause.hasEnded()) return
    isCurrent = false
    const learn = !isLast && !writerPause.holds()
    const foreign = new Set<Transcript>()
    const ingestion = await ingest(parts, {
      projects,
      transcripts: changed.map(({ transcript }) => transcript),
      onForeign: (transcript) => foreign.add(transcript),
      learn,
      waitMs: lockWaitMs,
      ...(isLast ? {} : { signal }),
    })
    if (signal.aborted && !isLast) return // it may have stopped before everything was read
    isCurrent = true
    looks.noteRead(changed, foreign)
    wakeUp.listenTo(foldersOf(changed.map(({ transcript }) => transcript).filter((each) => !foreign.has(each))))
    if (learn) writerPause.note(ingestion)
    const unjudged = isLast ? [] : await evaluateByClock(parts, projects, { waitMs: lockWaitMs })
    tellOnce("projects", [...ingestion.troubled, ...unjudged].map(troubleOf))
    dueAt = Math.min(await nextIdle(parts, projects), await nextEvaluation(parts, projects))
    if (hasNews(ingestion)) options.onRound?.(ingestion)
  }
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act()
      tellOnce("look", [])
    } catch (error) {
      tellOnce("look", [errorSentence(error)]) // the next scan may succeed
    }
  }

  while (!signal.aborted) {
    await attempt(() => look(false))
    await wakeUp.wait(pollMs)
  }
  wakeUp.close()
  if (isCurrent) await attempt(() => look(true)) // a few lines at most; stopping a long first read does not wait for them
  await attempt(async () => shutDown(parts, await readableProjects()))
}

async function shutDown(parts: LearningParts, projects: readonly LearningProject[]): Promise<void> {
  if (projects.length === 0) return
  const close = async () => {
    await closeTasks(parts, projects, "shutdown")
    if ((await parts.writer()).id !== "rules") return
    for (const project of projects) {
      await learnFromEpisodes(parts, project)
      await graduate(parts, project)
    }
  }
  await withLock(parts.lockPath, close, { waitMs: lockWaitMs })
}

/** When the first open task becomes idle. */
async function nextIdle(parts: LearningParts, projects: readonly LearningProject[]): Promise<number> {
  const byId = new Map(projects.map((project) => [project.id, project]))
  const times = (await parts.store.openTasks()).flatMap(({ project: id, events }) => {
    const project = byId.get(id)
    const last = events.at(-1)?.ts
    if (!project || last === undefined) return []
    return [Date.parse(last) + parts.policyOf(project.root).episode.idle_minutes * 60_000]
  })
  return Math.min(Number.POSITIVE_INFINITY, ...times)
}

const firstPauseMs = 60_000
const longestPauseMs = 3_600_000

/** Backs off while the writer is down, doubling each time: every attempt counts against the episode. */
function openWriterPause(now: () => Date) {
  let lengthMs = 0
  let until: number | undefined
  return {
    holds: () => until !== undefined && now().getTime() < until,
    hasEnded: () => until !== undefined && now().getTime() >= until,
    note({ learned }: Ingestion) {
      const isDown = learned.postponed.length > 0
      lengthMs = isDown ? Math.min(Math.max(firstPauseMs, lengthMs * 2), longestPauseMs) : 0
      until = isDown ? now().getTime() + lengthMs : undefined
    },
  }
}

/** Reports a repeated error once, and again after it had gone away; errors are compared by their first line. */
function openTellOnce(warn: (message: string) => void) {
  const told = new Map<string, readonly string[]>()
  return (about: string, messages: readonly string[]) => {
    const before = told.get(about) ?? []
    for (const message of messages) if (!before.includes(firstLine(message))) warn(message)
    told.set(about, messages.map(firstLine))
  }
}

function firstLine(text: string): string {
  return text.split("\n", 1).join()
}

function troubleOf({ project, error }: UnreadableProject): string {
  return `learning is off in ${project.root}: ${error.message}`
}

function foldersOf(transcripts: readonly Transcript[]): string[] {
  return [...new Set(transcripts.map(({ path }) => dirname(path)).reverse())] // oldest first
}

function hasNews({ records, episodes, learned, unreadable }: Ingestion): boolean {
  return records + episodes + learned.episodes + learned.postponed.length + unreadable.length > 0
}

export type WakeUp = {
  /** Waits for some milliseconds, less when something happens in a watched folder, not at all once aborted. */
  wait(ms: number): Promise<void>
  /** Watches these folders, and as many of the earlier ones as the limit allows. */
  listenTo(folders: readonly string[]): void
  close(): void
}

/** Debounce for busy folders. */
const leastMs = 300
const mostFolders = 32

/** File events only shorten the wait: some file systems report none, and the caller polls in any case. */
export function openWakeUp(signal: AbortSignal): WakeUp {
  const watchers = new Map<string, FSWatcher>()
  let hasHappened = false
  let wake: (() => void) | undefined
  const happened = () => {
    hasHappened = true
    wake?.()
  }
  const stop = (folder: string) => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  return {
    async wait(ms) {
      await pause(Math.min(leastMs, ms), undefined, { signal }).catch(() => {}) // the signal ends it
      if (hasHappened || signal.aborted) {
        hasHappened = false
        return
      }
      const end = new AbortController()
      wake = () => end.abort()
      signal.addEventListener("abort", wake, { once: true })
      await pause(Math.max(0, ms - leastMs), undefined, { signal: end.signal }).catch(() => {})
      signal.removeEventListener("abort", wake)
      wake = undefined
      hasHappened = false
    },
    listenTo(folders) {
      const wanted = new Set([...folders, ...watchers.keys()].slice(0, mostFolders))
      for (const folder of [...watchers.keys()]) if (!wanted.has(folder)) stop(folder)
      for (const folder of wanted) {
        if (watchers.has(folder)) continue
        try {
          const watcher = watch(folder, { persistent: false }, happened)
          watchers.set(
            folder,
            watcher.on("error", () => stop(folder)),
          )
        } catch {
          // Deleted meanwhile, or out of file watchers: the next poll finds what is new.
        }
      }
    },
    close() {
      for (const folder of [...watchers.keys()]) stop(folder)
    },
  }
}

export type TranscriptScanner = {
  /** The transcripts that have changed since they were last read. */
  changed(projects: readonly LearningProject[]): TranscriptScan[]
  /** Marks them as read; `foreign` are those that belong to none of the projects. */
  noteRead(looks: readonly TranscriptScan[], foreign: ReadonlySet<Transcript>): void
}

export type TranscriptScan = { transcript: Transcript; text: string; inode: string }

/**
 * Remembers the file state of transcripts, so that unchanged ones are not opened, and those of other projects are
 * opened once: a session stays in the project where it began.
 */
export function openTranscriptScanner({
  clients,
  machine,
}: Pick<LearningParts, "clients" | "machine">): TranscriptScanner {
  const read = new Map<string, string>()
  const foreign = new Map<string, string>()
  let knownProjects = ""
  return {
    changed(projects) {
      const ids = projects.map(({ id }) => id).join("\n")
      if (ids !== knownProjects) foreign.clear() // an unassigned transcript may belong to a new project
      knownProjects = ids
      return clients
        .flatMap((client) => client.find(machine))
        .flatMap(lookAt)
        .filter(({ transcript, text, inode }) => {
          const key = keyOf(transcript)
          return read.get(key) !== text && foreign.get(key) !== inode
        })
    },
    noteRead(looks, others) {
      for (const { transcript, text, inode } of looks) {
        if (others.has(transcript)) foreign.set(keyOf(transcript), inode)
        else read.set(keyOf(transcript), text)
      }
    },
  }
}

function lookAt(transcript: Transcript): TranscriptScan[] {
  let file: BigIntStats | undefined
  try {
    file = statSync(transcript.path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    return [{ transcript, text: codeOf(error) ?? "", inode: "" }] // it is read once, which reports the error
  }
  if (!file) return []
  return [{ transcript, text: `${describe(file)} ${describeLog(transcript)}`, inode: String(file.ino) }]
}

/** The newest rows of a SQLite database are in its WAL file. */
function describeLog({ path, session }: Transcript): string {
  if (session === undefined) return ""
  const log = statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false })
  return log ? describe(log) : ""
}

function describe({ size, mtimeNs, ino }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ino}`
}

function keyOf({ client, path, session }: Transcript): string {
  return [client, path, session ?? ""].join("\0")
}

/**
 * Evaluates projects that have not been evaluated for the policy's number of hours, so that memories also expire in
 * idle projects.
 */
async function evaluateByClock(
  parts: LearningParts,
  projects: readonly LearningProject[],
  { waitMs }: { waitMs: number },
): Promise<UnreadableProject[]> {
  const now = parts.now()
  const troubled: UnreadableProject[] = []
  for (const project of projects) {
    if ((await dueAt(parts, project)) > now.getTime()) continue
    const evaluate = async () => {
      await evaluateProject(parts, project, { now: now.toISOString() })
      await graduate(parts, project)
    }
    try {
      await withLock(parts.lockPath, evaluate, { waitMs })
    } catch (error) {
      troubled.push({ project, error: requireDreyError(error) })
    }
  }
  return troubled
}

/** When the first of these projects is due. */
async function nextEvaluation(parts: LearningParts, projects: readonly LearningProject[]): Promise<number> {
  const times = []
  for (const project of projects) times.push(await dueAt(parts, project))
  return Math.min(Number.POSITIVE_INFINITY, ...times)
}

/** A project without any evaluation is first evaluated after its first episodes. */
async function dueAt({ store, policyOf }: LearningParts, { id, root }: LearningProject): Promise<number> {
  const { at } = await store.sinceEvaluation(id)
  return at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at) + policyOf(root).evaluate.every_hours * 3_600_000
}
