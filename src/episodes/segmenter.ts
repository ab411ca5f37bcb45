import { sha256 } from "../disk/sha256.ts"
import type { Policy } from "../formats/policy.ts"
import type { OpenTask } from "../store/learned-store.ts"
import { boundaryScore, type Similarity } from "./boundary.ts"
import type { Episode, EpisodeEvent, FlushReason } from "./episode.ts"
import { attemptOf, isFailure, isSuccess } from "./failure.ts"
import { statsOf } from "./stats.ts"
import { atLeast } from "./words/frustration.ts"

/** Splits the events of one session into episodes, one task each. Its only state is the open task. */
export type Segmenter = {
  /** The episode before this event, if the event ends it. */
  take(event: EpisodeEvent): Episode | undefined
  /** Ends the open task; undefined when there is none. */
  close(reason: FlushReason): Episode | undefined
  /** State from which another segmenter can resume. */
  openTask(): OpenTask
}

export type SessionIdentity = Pick<OpenTask, "client" | "session" | "project" | "transcript">

export function openSegmenter(
  settings: Policy["episode"],
  identity: SessionIdentity,
  task?: { events: readonly EpisodeEvent[]; continuationOf?: string | undefined },
  similarity?: Similarity,
): Segmenter {
  let events = [...(task?.events ?? [])]
  let continuationOf = task?.continuationOf
  let tokens = events.reduce((sum, event) => sum + tokensOf(event), 0)

  const close = (reason: FlushReason): Episode | undefined => {
    if (events.length === 0) return undefined
    const told = reason !== "explicit" && isResolved(events) ? "resolved" : reason
    const episode = toEpisode(identity, events, told, continuationOf)
    continuationOf = undefined
    events = []
    tokens = 0
    return episode
  }
  const add = (event: EpisodeEvent): void => {
    events.push(event)
    tokens += tokensOf(event)
  }
  const beginsTask = (event: EpisodeEvent): boolean => {
    const isMessage = event.role === "user" && event.kind === "message" && event.incident === undefined
    return isMessage && boundaryScore(events, event, settings, similarity) >= settings.boundary_score
  }
  const isFull = (event: EpisodeEvent): boolean =>
    events.length >= settings.max_events || tokens + tokensOf(event) > settings.max_tokens

  return {
    take(event) {
      if (event.mark !== undefined) return takeMark(event.mark, close)
      const isOther = beginsTask(event)
      const mustEnd = isOther || isResolved(events) || isFull(event)
      const episode = mustEnd ? close(isOther ? "task_boundary" : "size") : undefined
      add(event)
      if (!isOther) continuationOf = episode?.id ?? continuationOf
      return episode
    },
    close,
    openTask: () => ({ ...identity, events: [...events], ...(continuationOf !== undefined && { continuationOf }) }),
  }
}

/** Start, end or clear of a session ends the task; compaction does not. The mark itself is not stored. */
function takeMark(mark: EpisodeEvent["mark"], close: Segmenter["close"]): Episode | undefined {
  if (mark === "clear") return close("task_boundary")
  return mark === "compacted" ? undefined : close("session_end")
}

/**
 * The last event is the first success after severe frustration: this lesson is wanted at once. The next event ends the
 * episode, so that the open task is the only state.
 */
function isResolved(events: readonly EpisodeEvent[]): boolean {
  const last = events.at(-1)
  if (last === undefined || !maySucceed(last) || !events.some(complains)) return false
  const before = events.slice(0, -1)
  return succeeds(before, last) && statsOf(before).user_frustration === "severe"
}

/** Checked first because it is cheap: without a complaint nothing is severe, and this runs for every event. */
function complains({ frustration }: EpisodeEvent): boolean {
  return atLeast(frustration ?? "none", "moderate")
}

function maySucceed(event: EpisodeEvent): boolean {
  return event.role === "user" ? event.accepts === true && event.frustration === undefined : isSuccess(event)
}

function succeeds(before: readonly EpisodeEvent[], event: EpisodeEvent): boolean {
  if (event.role === "user") return true
  const attempt = attemptOf(event)
  if (event.test === "passed") return before.some(({ test }) => test === "failed") || failed(before, attempt)
  return event.action === "run" && failed(before, attempt)
}

/** The latest result of the attempt was a failure. */
function failed(events: readonly EpisodeEvent[], attempt: string | undefined): boolean {
  const last = events.findLast((event) => event.kind === "tool_result" && attemptOf(event) === attempt)
  return attempt !== undefined && last !== undefined && isFailure(last)
}

function toEpisode(
  identity: SessionIdentity,
  events: EpisodeEvent[],
  flushReason: FlushReason,
  continuationOf: string | undefined,
): Episode {
  const start = events.find(({ ts }) => ts !== "")?.ts ?? ""
  return {
    ...identity,
    id: episodeId(identity, start, events[0]?.id ?? ""),
    start,
    end: events.findLast(({ ts }) => ts !== "")?.ts ?? "",
    events,
    stats: statsOf(events, flushReason),
    flushReason,
    ...(continuationOf !== undefined && { continuationOf }),
  }
}

/** The same transcript yields the same id, whenever and wherever it is read. */
function episodeId({ client, session }: SessionIdentity, start: string, firstEvent: string): string {
  const day = start === "" ? "0000-00-00" : start.slice(0, 10)
  return `ep-${day}-${sha256(`${client}\n${session}\n${firstEvent}`).slice(0, 12)}`
}

/** The tokens of an event in a writer's prompt, at four characters each; a call's summary is its command. */
function tokensOf({ kind, summary, raw_snippet, command, file }: EpisodeEvent): number {
  const characters = summary.length + (raw_snippet?.length ?? 0) + (file?.length ?? 0)
  return Math.ceil((characters + (kind === "tool_call" ? 0 : (command?.length ?? 0))) / 4) + 4
}
