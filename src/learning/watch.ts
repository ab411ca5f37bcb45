import { dirname } from "node:path"
import type { Transcript } from "../clients/client.ts"
import { withLock } from "../disk/lock.ts"
import { sentenceOf } from "../errors.ts"
import { closeTasks } from "./close-tasks.ts"
import { evaluateByClock, nextEvaluation } from "./evaluate-by-clock.ts"
import { graduate } from "./graduate.ts"
import { type Ingestion, ingest } from "./ingest.ts"
import { learnFromEpisodes } from "./learn.ts"
import type { LearningParts, Project } from "./learning-parts.ts"
import { partByPolicy, type TroubledProject } from "./part-by-policy.ts"
import { openTranscriptLooks } from "./transcript-looks.ts"
import { openWakeUp } from "./wake-up.ts"

export type WatchOptions = {
  /** Called before every scan: projects come, go and are paused meanwhile. */
  projects(): Promise<readonly Project[]>
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
export async function watchTranscripts(parts: LearningParts, options: WatchOptions): Promise<void> {
  const { signal, pollMs = defaultPollMs } = options
  const looks = openTranscriptLooks(parts)
  const wakeUp = openWakeUp(signal)
  const writerPause = openWriterPause(parts.now)
  const tellOnce = openTellOnce(parts.warn)
  let dueAt = Number.NEGATIVE_INFINITY
  let isCurrent = false

  const readableProjects = async (): Promise<Project[]> => {
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
      tellOnce("look", [sentenceOf(error)]) // the next scan may succeed
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

async function shutDown(parts: LearningParts, projects: readonly Project[]): Promise<void> {
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
async function nextIdle(parts: LearningParts, projects: readonly Project[]): Promise<number> {
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

function troubleOf({ project, error }: TroubledProject): string {
  return `learning is off in ${project.root}: ${error.message}`
}

function foldersOf(transcripts: readonly Transcript[]): string[] {
  return [...new Set(transcripts.map(({ path }) => dirname(path)).reverse())] // oldest first
}

function hasNews({ records, episodes, learned, unreadable }: Ingestion): boolean {
  return records + episodes + learned.episodes + learned.postponed.length + unreadable.length > 0
}
