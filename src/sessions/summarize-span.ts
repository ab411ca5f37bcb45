import type { AgentMemory, Attempt } from "../formats/session/agent-memory.ts"
import { attemptResults } from "../formats/session/known-values.ts"
import { linesOf, shorten } from "./line-of-text.ts"

/** The entries that were moved to the archive at one time. */
export type Span = Pick<AgentMemory, "discoveries" | "attempts" | "decisions">

/** What stays behind of them in words: how many there were, what was decided, what failed and why, and what was learned from it. */
export function summarizeSpan({ discoveries, attempts, decisions }: Span): string {
  const failed = attempts.filter(({ result }) => result === "failure")
  const lessons = attempts.flatMap((attempt) => firstLine(attempt.lessons) ?? [])
  return [
    `${quantity(discoveries.length, "discovery", "discoveries")}, ${countAttempts(attempts)}, ${quantity(decisions.length, "decision", "decisions")}`,
    ...listed(
      "Decided",
      decisions.map(({ description }) => firstLine(description) ?? "no description"),
    ),
    ...listed("Failed", failed.map(describeFailure)),
    ...listed("Lessons", [...new Set(lessons)]),
  ].join("\n")
}

const outcomes = { success: "succeeded", failure: "failed", partial: "partial", in_progress: "in progress" }

function countAttempts(attempts: readonly Attempt[]): string {
  const parts = attemptResults
    .map((result) => ({ result, count: attempts.filter((attempt) => attempt.result === result).length }))
    .filter(({ count }) => count > 0)
    .map(({ result, count }) => `${count} ${outcomes[result]}`)
  const total = quantity(attempts.length, "attempt", "attempts")
  return parts.length === 0 ? total : `${total} (${parts.join(", ")})`
}

function describeFailure({ description, error, output, lessons, approach }: Attempt): string {
  const reasons = [error, output, lessons, approach].flatMap((text) => firstLine(text) ?? [])
  return `${firstLine(description) ?? "no description"}: ${reasons[0] ?? "no details"}`
}

const shown = 5
const longest = 120

/** The last ones, which are the newest, and how many came before them. */
function listed(label: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const earlier = lines.length - shown
  const items = lines.slice(-shown).map((line) => `- ${shorten(line, longest)}`)
  return [earlier > 0 ? `${label} (${earlier} earlier ones are in the archive):` : `${label}:`, ...items]
}

function firstLine(text: string | null | undefined): string | undefined {
  return linesOf(text ?? "")[0]?.replace(/^[-*] /, "")
}

function quantity(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
