import type { Segment } from "../../formats/read-entries.ts"
import { bytesOf } from "../tidy/work.ts"
import { type StandingContext, standingOf } from "./standing.ts"

/** Explains why a file stays above its limit, with sizes and its largest entries. */
export function whyNotSmaller(
  path: string,
  segments: readonly Segment[],
  gate: number,
  standing: StandingContext,
): string {
  const bytes = { protected: 0, undated: 0, stuck: 0, text: 0 }
  const counts = { ...bytes }
  for (const { entry, text } of segments) {
    const own = entry ? standingOf(entry, standing) : undefined
    const why = own === undefined ? "text" : own.kind === "stays" ? own.why : "stuck"
    bytes[why] += bytesOf(text)
    counts[why]++
  }
  const say = (why: keyof typeof bytes, words: string) =>
    counts[why] > 0 ? [`${why === "text" ? "" : `${counts[why]} `}${words} (${bytes[why]} B)`] : []
  const reasons = [
    ...say("protected", "permanent, policy or [ALWAYS]"),
    ...say("undated", "without a date, not even in git"),
    ...say("stuck", "that cannot be moved without changing the entries around them"),
    ...say("text", "text that is not an entry"),
  ]
  const total = segments.reduce((sum, { text }) => sum + bytesOf(text), 0)
  const largest = segments
    .flatMap(({ entry, text }) => (entry ? [{ size: bytesOf(text), title: entry.entry.title }] : []))
    .sort((one, other) => other.size - one.size)
    .slice(0, 3)
    .map(({ size, title }) => `"${title}" (${size} B)`)
  return `${path} has ${total} B, more than its limit of ${gate} B. What is left: ${reasons.join(", ")}. Largest: ${largest.join(", ") || "none"}.`
}
