import type { EpisodeCommitted, EpisodeEvent, EpisodeSummary } from "../../memories/episode.ts"
import { attemptOf, isFailure, isSuccess } from "./episode-stats.ts"

const mostTried = 12
const mostFiles = 60
/** Of what each side said, in characters: a long conversation keeps its beginning and its end. */
const mostSaid = { user: 8000, agent: 6000 }

/** What is searched and shown of an episode. The user's messages are kept as they are, with all corrections. */
export function summarizeEpisode(events: readonly EpisodeEvent[]): EpisodeSummary {
  const edited = filesOf(events, "edit")
  return {
    said: saidIn(events),
    tried: triedIn(events),
    edited,
    read: filesOf(events, "read").filter((file) => !edited.includes(file)),
    commits: events.flatMap(commitIn),
  }
}

/** The events as they are stored: what only the summary needs is left out. */
export function withoutWords(events: readonly EpisodeEvent[]): EpisodeEvent[] {
  return events.map(({ words, commit: _, ...event }) =>
    words === undefined || event.role === "assistant" ? event : { ...event, words },
  )
}

/** Of the agent's messages only the last before the user's next one: its answer, and at the end its closing words. */
function saidIn(events: readonly EpisodeEvent[]): EpisodeSummary["said"] {
  const messages = events.filter(({ kind, summary }) => kind === "message" && summary.trim() !== "")
  const said = messages
    .filter(({ role }, at) => role === "user" || messages[at + 1]?.role !== "assistant")
    .map(({ role, summary, words, line }) => ({
      by: role === "user" ? ("user" as const) : ("agent" as const),
      text: words ?? summary,
      line,
    }))
  const kept = new Set([...withinLimit(said, "user"), ...withinLimit(said, "agent")])
  return said.filter((each) => kept.has(each))
}

/** The first, then the newest that fit. */
function withinLimit(said: EpisodeSummary["said"], by: keyof typeof mostSaid): EpisodeSummary["said"] {
  const [first, ...others] = said.filter((each) => each.by === by)
  if (first === undefined) return []
  let left = mostSaid[by] - first.text.length
  const newest = others.reverse().filter(({ text }) => {
    left -= text.length
    return left >= 0
  })
  return [first, ...newest]
}

/** Commands by their latest result, the failed ones first to be kept. */
function triedIn(events: readonly EpisodeEvent[]): EpisodeSummary["tried"] {
  const last = new Map<string, EpisodeEvent>()
  for (const event of events) {
    const attempt = event.action === "run" && (isFailure(event) || isSuccess(event)) ? attemptOf(event) : undefined
    if (attempt === undefined || event.command === undefined) continue
    last.delete(attempt) // ordered by latest result
    last.set(attempt, event)
  }
  const results = [...last.values()]
  const kept = [...results.filter(isFailure), ...results.filter((event) => !isFailure(event)).reverse()]
  const few = new Set(kept.slice(0, mostTried))
  return results
    .filter((event) => few.has(event))
    .map((event) => ({
      command: event.command ?? "",
      line: event.line,
      ...(isFailure(event)
        ? { result: "failed" as const, error: event.raw_snippet ?? event.summary }
        : { result: "passed" as const }),
    }))
}

function filesOf(events: readonly EpisodeEvent[], action: "edit" | "read"): string[] {
  const files = events.flatMap((event) =>
    event.kind === "tool_call" && event.action === action && event.file !== undefined ? [event.file] : [],
  )
  return [...new Set(files)].slice(0, mostFiles)
}

function commitIn({ ts, commit, is_error, incident }: EpisodeEvent): EpisodeCommitted[] {
  if (commit === undefined || is_error || incident !== undefined) return []
  const [, id, subject = ""] = /^([0-9a-f]{7,40}|-) (.*)$/.exec(commit) ?? []
  return [{ ...(id === undefined || id === "-" ? {} : { id }), subject, ts }]
}

/**
 * The commit that a command made: the id and subject that git printed, `1a2b3c4 fix: retry twice`, or the subject that was
 * typed, `- fix: retry twice`.
 */
export function commitMade(command: string, output: string): string | undefined {
  if (!/\bgit\b(?:\s+-[cC]\s+\S+)*\s+(?:commit|merge|cherry-pick|revert)\b/.test(command)) return undefined
  const [, id, printed] = /^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{1,200})$/m.exec(output) ?? []
  if (id !== undefined) return `${id} ${printed}`
  const [, , typed] =
    /\s(?:-[a-z]*m|--message)[ =]?(["'])(?:\$\(cat <<-?\s?\\?['"]?\w+['"]?\s*\n\s*)?([^"'\n]{1,200})/.exec(command) ??
    []
  return typed === undefined || typed.startsWith("$(") ? undefined : `- ${typed.trim()}`
}
