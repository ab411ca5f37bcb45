import { type Entry, type EntryType, lengthOf, titleLimit } from "../formats/entry.ts"
import { cutAtWord } from "../formats/legacy/summarize.ts"
import { normalizeEntry } from "../formats/normalize-entry.ts"
import type { Policy } from "../formats/policy.ts"
import { timestampFromDate } from "../formats/timestamp.ts"
import type { Evidence, Memory, MemoryKind } from "../store/memory.ts"
import { describeEvidence } from "./describe-evidence.ts"
import { learnedSkill } from "./learned-skill.ts"
import { rulesFor } from "./rules-for.ts"

/** A memory that may be proposed to the team, with its evidence. */
export type Candidate = { memory: Memory; evidence: readonly Evidence[] }

/** `isAccepted`: it becomes a team entry at once. All others wait in an inbox for the merge or a review. */
export type Graduates = {
  entries: { memory: Memory; entry: Entry; isAccepted: boolean }[]
  skills: { memory: Memory; name: string; text: string; isAccepted: boolean }[]
}

/** Memories that have earned a place in team memory, as the texts they would have there. A memory graduates once. */
export function proposeGraduates(candidates: readonly Candidate[], policy: Policy, now: Date): Graduates {
  const { mode } = policy.graduate
  if (mode === "off") return { entries: [], skills: [] }
  const due = candidates.filter(({ memory }) => belongsToTeam(memory))
  return {
    entries: due
      .filter(({ memory }) => !memory.flags.includes("graduated"))
      .map((candidate) => {
        const entry = toEntry(candidate, now)
        return { memory: candidate.memory, entry, isAccepted: mode === "auto" && entry.review === undefined }
      }),
    skills: due
      .filter(({ memory }) => isSkill(memory, policy))
      .map((candidate) => {
        const isAccepted = mode === "auto" && isTrusted(candidate.memory)
        return { memory: candidate.memory, ...learnedSkill(candidate), isAccepted }
      }),
  }
}

/** Personal preferences stay personal, flagged memories wait for a review, and refused ones are not proposed again. */
function belongsToTeam({ status, scope, project, kind, key, flags }: Memory): boolean {
  if (status !== "active" || scope === "global" || project === undefined) return false
  if (kind === "note" || key?.startsWith("user.")) return false
  return !flags.some((flag) => notProposed.includes(flag))
}

const notProposed = ["conflict", "misses", "review", "withheld", "refused"]

/**
 * A pattern that keeps proving itself after its proposal: twice the promotion threshold, at least five times, with
 * hardly a failure.
 */
function isSkill(memory: Memory, policy: Policy): boolean {
  const { hits, misses } = memory.metrics
  const { min_regret_hits } = rulesFor(memory, policy).promotion
  return (
    memory.kind === "pattern" &&
    memory.flags.includes("graduated") &&
    !memory.flags.includes("skill") &&
    hits >= Math.max(5, 2 * min_regret_hits) &&
    misses <= hits / 4
  )
}

/** The user's words, or an outcome verified by a test or a command. */
function isTrusted({ trust }: Memory): boolean {
  return trust >= 2
}

const typeOf: Record<MemoryKind, EntryType> = {
  invariant: "decision",
  preference: "directive",
  guard: "directive",
  pattern: "note",
  note: "note",
}

function toEntry({ memory, evidence }: Candidate, now: Date): Entry {
  const { id, kind, text, trust, pathPrefix } = memory
  const type = typeOf[kind]
  const review = reviewOf(memory, type)
  return normalizeEntry({
    type,
    id: `learned-${id.replace(/^m-/, "")}`,
    timestamp: timestampFromDate(now),
    author: "drey",
    title: cutAtWord(text),
    scope: type === "note" ? "project" : "team",
    tags: ["learned", kind],
    details: detailsOf(memory),
    rationale: describeEvidence(memory, evidence),
    ...(review === undefined ? {} : { review }),
    extensions: [
      { name: "origin", value: "learned" },
      { name: "memory", value: id },
      { name: "trust", value: String(trust) },
      ...(pathPrefix === undefined ? [] : [{ name: "pathPrefix", value: pathPrefix }]),
    ],
  })
}

/** What the title leaves out. */
function detailsOf({ text, pathPrefix }: Memory): string {
  const whole = lengthOf(text) > titleLimit ? [text] : []
  const place = pathPrefix === undefined ? [] : [`Applies below \`${pathPrefix.replaceAll("`", "")}\`.`]
  return [...whole, ...place].join("\n\n")
}

/** Why it needs a review rather than an automatic merge. */
function reviewOf(memory: Memory, type: EntryType): string | undefined {
  if (type === "directive") return "a rule for everyone needs a review"
  return isTrusted(memory) ? undefined : "an agent's inference needs a review"
}
