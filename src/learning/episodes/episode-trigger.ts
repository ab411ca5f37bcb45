import { truncate } from "../../formats/text.ts"
import type { Episode, EpisodeEvent, EpisodeFinding } from "../../memories/episode.ts"
import type { Trigger } from "../../memories/memory.ts"
import { isFailure } from "./episode-stats.ts"

const mostOfEach = 12

/**
 * What identifies a similar later task: failures with their fingerprints, and changed files. Common tools and commands
 * that merely ran would match every task; they count only if nothing failed.
 */
export function triggerOf({ events }: Episode): Trigger {
  const failures = events.filter(isFailure)
  const heads = distinct(failures.map(({ head }) => head))
  return {
    tools: distinct(
      [...failures, ...events].filter(({ action }) => action === "other").map(({ tool_name }) => tool_name),
    ),
    heads: heads.length > 0 ? heads : distinct(events.filter(changesSomething).map(({ head }) => head)),
    paths: distinct(events.filter(({ action }) => action === "edit").map(({ file }) => file)),
    fingerprints: distinct(failures.map(({ fingerprint }) => fingerprint)),
  }
}

/**
 * The part that belongs to one finding: otherwise other errors of the same episode would count as the memory's
 * failures. A user's statement is tested by its files, not by nearby errors.
 */
export function triggerOfFinding(episode: Episode, finding: EpisodeFinding): Trigger {
  const { tools, paths } = triggerOf(episode)
  if (finding.kind !== "failure_then_success") return { tools: [], heads: [], paths, fingerprints: [] }
  const fingerprints = distinct(finding.failures.map((at) => episode.events[at]?.fingerprint))
  return {
    tools,
    heads: [finding.head],
    paths: distinct(finding.edits.map((at) => episode.events[at]?.file)),
    fingerprints,
  }
}

function changesSomething({ kind, action, test, head }: EpisodeEvent): boolean {
  return kind === "tool_result" && action === "run" && (test !== undefined || !looks.test(head ?? ""))
}

/** Commands that only read, or occur in every task. */
const looks =
  /^(?:ls|cat|head|tail|grep|rg|find|sed|awk|wc|echo|pwd|which|tree|jq|sort|diff|stat|file|env|git (?:status|log|diff|show|branch|add|fetch|rev-parse)|get-content|get-childitem|select-string)$/

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined && value !== ""))].slice(0, mostOfEach) as string[]
}

const longestTaskText = 1000

/** The task in the user's words, first message first. */
export function taskTextOf({ events }: Pick<Episode, "events">): string {
  const said = events
    .filter(({ role, kind, incident }) => role === "user" && kind === "message" && incident === undefined)
    .map(({ summary, raw_snippet }) => (raw_snippet === undefined ? summary : `${summary} ${raw_snippet}`))
  return truncate([...new Set(said)].join("\n"), longestTaskText)
}
