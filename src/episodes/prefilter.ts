import type { Episode, Finding } from "./episode.ts"
import { isFailure } from "./failure.ts"
import { atLeast } from "./words/frustration.ts"

/** Whether a writer should see an episode, with the reason for the log. */
export type Prefiltering = { kind: "keep" | "skip"; reason: string }

const fewestEvents = 3

/** Skips episodes with nothing to learn. Keeps those in doubt, and all with a failure or a statement. */
export function prefilter(episode: Episode, findings: readonly Finding[], isOn: boolean): Prefiltering {
  if (!isOn) return { kind: "keep", reason: "the pre-filter is off" }
  const telling = whatTells(episode, findings)
  if (telling !== undefined) return { kind: "keep", reason: telling }
  if (episode.events.length < fewestEvents) return { kind: "skip", reason: `fewer than ${fewestEvents} events` }
  if (onlyReads(episode)) return { kind: "skip", reason: "nothing but reading" }
  return { kind: "keep", reason: "work was done" }
}

function whatTells({ events, stats, flushReason }: Episode, findings: readonly Finding[]): string | undefined {
  if (flushReason === "explicit") return "asked for"
  if (findings.some(({ kind }) => kind === "user_correction")) return "a correction"
  if (findings.some(({ kind }) => kind === "explicit_statement")) return "a rule in so many words"
  if (events.some(isFailure)) return "an error or a failed test"
  if (atLeast(stats.user_frustration, "mild")) return "frustration"
  return undefined
}

/** Tools were called, and all of them only read. */
function onlyReads({ events }: Episode): boolean {
  const calls = events.filter(({ kind }) => kind === "tool_call")
  return calls.length > 0 && calls.every(({ action }) => action === "read" || action === "search")
}
