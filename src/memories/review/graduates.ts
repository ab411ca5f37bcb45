import { agentScope, type Entry, type EntryType, lengthOf, titleLimit } from "../../formats/entry.ts"
import { normalizeEntry } from "../../formats/entry-writer.ts"
import { handleOf } from "../../formats/ids.ts"
import { cutAtWord } from "../../formats/legacy/summary.ts"
import type { Policy } from "../../formats/policy.ts"
import { writeSkill } from "../../formats/skill.ts"
import { timestampFromDate } from "../../formats/timestamp.ts"
import type { Evidence, EvidenceSource, Memory, MemoryKind, Trigger } from "../memory.ts"
import { recordOf, rulesFor, timesOf } from "./evaluation.ts"

/** A memory that may be proposed to the team, with its evidence, and the member whose work alone taught it. */
export type GraduateCandidate = { memory: Memory; evidence: readonly Evidence[]; member?: string | undefined }

/** `isAccepted`: it becomes a team entry at once. All others wait in an inbox for the merge or a review. */
export type Graduates = {
  entries: { memory: Memory; entry: Entry; isAccepted: boolean }[]
  skills: { memory: Memory; name: string; text: string; isAccepted: boolean }[]
}

/** Memories that have earned a place in team memory, as the texts they would have there. A memory graduates once. */
export function proposeGraduates(candidates: readonly GraduateCandidate[], policy: Policy, now: Date): Graduates {
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

const notProposed = ["conflict", "misses", "contradicted", "contradicted twice", "review", "withheld", "refused"]

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

/** What one member learned is about that member's work: its history gets it with the merge. */
function toEntry({ memory, evidence, member }: GraduateCandidate, now: Date): Entry {
  const { id, kind, text, trust, pathPrefix } = memory
  const type = typeOf[kind]
  const review = reviewOf(memory, type)
  return normalizeEntry({
    type,
    id: `learned-${id.replace(/^m-/, "")}`,
    timestamp: timestampFromDate(now),
    author: "drey",
    title: cutAtWord(text),
    scope: member === undefined ? (type === "note" ? "project" : "team") : agentScope(member),
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

/** A pattern as a skill: its `SKILL.md` and folder name, which is the same every time. */
function learnedSkill({ memory, evidence }: { memory: Memory; evidence: readonly Evidence[] }): {
  name: string
  text: string
} {
  const name = nameOf(memory)
  const occasions = occasionsOf(memory.trigger)
  const sections = [
    memory.text,
    ...(occasions.length === 0 ? [] : [`## When\n\n${occasions.map((occasion) => `- ${occasion}`).join("\n")}`]),
    `## Evidence\n\n${describeEvidence(memory, evidence)}`,
  ]
  const text = writeSkill({
    name,
    description: memory.text,
    confidence: "low",
    source: "earned",
    tools: [],
    triggers: headsOf(memory.trigger),
    roles: [],
    extra: { memory: memory.id },
    body: sections.join("\n\n"),
    diagnostics: [],
  })
  return { name, text }
}

const longestSlug = 48

/** Skill names: lower case, digits, single hyphens; at most 64 characters. */
function nameOf({ id, text }: Memory): string {
  const words = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, longestSlug)
  const slug = words.length < longestSlug ? words : words.replace(/-[^-]*$/, "")
  return [slug, handleOf(id).replace("m:", "")].filter(Boolean).join("-")
}

const most = 5

function occasionsOf(trigger: Trigger): string[] {
  return [
    ...headsOf(trigger).map((head) => `Running \`${head}\``),
    ...trigger.paths
      .filter(isPlainPath)
      .slice(0, most)
      .map((path) => `Working on \`${path}\``),
  ]
}

/** Text from a transcript is shown only if it can be nothing but a command or a path of this repository. */
function headsOf({ heads }: Trigger): string[] {
  return heads.filter((head) => /^[\w@./:+-]{1,40}(?: [\w@./:+-]{1,40}){0,3}$/.test(head)).slice(0, most)
}

function isPlainPath(path: string): boolean {
  return /^[\w@][\w@./+ -]{0,120}$/.test(path) && !path.split("/").includes("..")
}

const mostEpisodes = 5

/** Summarizes the evidence for readers without access to the transcripts: counts, days and episodes, no quotes. */
function describeEvidence(memory: Memory, evidence: readonly Evidence[]): string {
  return [
    `Learned from work, then tried: ${recordOf(memory)}.`,
    ...(evidence.length === 0 ? [] : [`Seen ${sourcesOf(evidence)}, ${episodesOf(evidence)}.`]),
  ].join("\n\n")
}

const wordsFor: Record<EvidenceSource, string> = {
  failure_then_success: "as an error that was then solved",
  user_correction: "in a user's correction",
  explicit_statement: "in a rule stated by a user",
  pattern_observed: "by an agent in its own work",
  guard_triggered: "as a warning that proved right",
}

function sourcesOf(evidence: readonly Evidence[]): string {
  const counts = new Map<EvidenceSource, number>()
  for (const { source } of evidence) counts.set(source, (counts.get(source) ?? 0) + 1)
  return [...counts].map(([source, count]) => `${timesOf(count)} ${wordsFor[source]}`).join(", ")
}

function episodesOf(evidence: readonly Evidence[]): string {
  const days = evidence.map(({ created }) => created.slice(0, 10)).sort()
  const episodes = [...new Set(evidence.map(({ episode }) => episode))]
  const [first, last] = [days[0], days.at(-1)]
  const when = first === last ? `on ${first}` : `between ${first} and ${last}`
  const shown = episodes.slice(0, mostEpisodes).join(", ")
  const more = episodes.length > mostEpisodes ? ` and ${episodes.length - mostEpisodes} more` : ""
  return `${when} (${shown}${more})`
}
