import { sha256 } from "../disk/sha256.ts"
import type { Episode, EpisodeEvent, Frustration } from "../episodes/episode.ts"
import { parseMemoryKey } from "../formats/memory-key.ts"
import { normalizeText } from "../formats/normalize-text.ts"
import { parsePathPrefix } from "../formats/path-prefix.ts"
import type { Cleared } from "../governance/cleared.ts"
import type { NewText } from "../writer/writer.ts"
import { clearMemoryText, clearName, clearNote } from "./clear-words.ts"
import type { Commit } from "./learned-store.ts"
import type { EvidenceSource, Memory } from "./memory.ts"
import { sharedFolder } from "./path-prefix.ts"
import { clearTrigger } from "./trigger.ts"
import { originOf, trustOf } from "./trust-of.ts"

/** A memory as it would be stored, after all checks that need no other memory. */
export type Proposal = Omit<
  Memory,
  | "id"
  | "text"
  | "key"
  | "pathPrefix"
  | "status"
  | "pinned"
  | "derivedFrom"
  | "contributedBy"
  | "sourceMemory"
  | "version"
  | "created"
  | "updated"
  | "metrics"
  | "evidence"
> &
  ClearedWords & { textHash: string; evidence: QuotedEvidence }

/** The parts of a memory worded by others. */
export type ClearedWords = { text: Cleared; key: Cleared | undefined; pathPrefix: Cleared | undefined }

export type QuotedEvidence = { source: EvidenceSource; frustration: Frustration; line: number; quote: Cleared }

export type Proposing = { kind: "proposed"; proposal: Proposal } | { kind: "dropped"; reason: string }

/** Turns a writer's proposal into a memory, or returns why it cannot be one. The reason never contains the text. */
export function proposeMemory(given: NewText, episode: Episode, commit: Commit): Proposing {
  const dropped = (reason: string): Proposing => ({ kind: "dropped", reason })
  if (!(given.confidence >= commit.policy.dropConfidence)) return dropped(`confidence ${given.confidence} is too low`)
  const cleared = clearMemoryText(given.text)
  if (cleared.kind === "refused") return dropped(`the text contains a secret: ${cleared.reason}`)
  if (cleared.text === "") return dropped("the text is empty")
  const key = clearName(parseMemoryKey(given.key ?? ""))
  const { source, frustration } = given.evidence
  const origin = commit.account ? "agent" : originOf(source)
  const isBacked = commit.account?.isAccepted ?? (origin === "user" || hurt(given.evidence))
  const kind = given.kind === "guard" && !isBacked ? "pattern" : given.kind
  const tier = given.tier === "emergency" && !isBacked ? "short_term" : given.tier
  const isShared = given.owner.type !== "user"
  const proposal: Proposal = {
    ...placeOf(given, key, episode),
    owner: isShared && commit.policy.allowTeam ? given.owner : commit.owner,
    kind,
    tier,
    polarity: given.kind === "guard" ? -1 : given.polarity,
    key,
    text: cleared.text,
    textHash: textHashOf(cleared.text),
    confidence: Math.min(1, given.confidence),
    expires: expiryOf(given.ttlDays, tier, commit),
    flags: isShared && !commit.policy.allowTeam ? ["share"] : [],
    trigger: clearTrigger(given.trigger ?? commit.trigger),
    origin,
    trust: trustOf(origin),
    evidence: { source, frustration, ...quoteOf(episode.events, given.evidence) },
  }
  return { kind: "proposed", proposal }
}

/** A warning must be backed by the user's words or by a costly failure. */
function hurt({ source, frustration }: NewText["evidence"]): boolean {
  return source === "failure_then_success" && (frustration === "moderate" || frustration === "severe")
}

export function textHashOf(text: string): string {
  return sha256(normalizeText(text)).slice(0, 16)
}

function placeOf(
  given: NewText,
  key: string | undefined,
  episode: Episode,
): Pick<Proposal, "scope" | "project" | "pathPrefix"> {
  const { project } = episode
  if (given.scope === "global" || key?.startsWith("user."))
    return { scope: "global", project: undefined, pathPrefix: undefined }
  if (given.scope !== "repo_path") return { scope: "project", project, pathPrefix: undefined }
  const edited = episode.events.flatMap(({ action, file }) => (action === "edit" && file !== undefined ? [file] : []))
  const pathPrefix = clearName(parsePathPrefix(given.pathPrefix ?? "") ?? sharedFolder(edited))
  return { scope: pathPrefix === undefined ? "project" : "repo_path", project, pathPrefix }
}

const dayMs = 86_400_000

function expiryOf(
  ttlDays: number | null | undefined,
  tier: Memory["tier"],
  { policy, now }: Commit,
): string | undefined {
  const inDays = (days: number) => new Date(Date.parse(now) + days * dayMs).toISOString()
  if (ttlDays === null) return undefined
  if (ttlDays !== undefined && Number.isFinite(ttlDays)) return inDays(Math.min(365, Math.max(1, ttlDays)))
  if (tier === "long_term") return undefined
  return inDays(tier === "emergency" ? policy.emergencyDays : policy.shortTermDays)
}

/** The event used as evidence, quoted; the likeliest one when the writer names none. */
function quoteOf(events: readonly EpisodeEvent[], evidence: NewText["evidence"]): { line: number; quote: Cleared } {
  const event =
    events[evidence.event ?? -1] ?? events.find(showsIt[evidence.source]) ?? events.find(({ role }) => role === "user")
  return { line: event?.line ?? 0, quote: clearNote(event?.raw_snippet ?? event?.summary ?? "") }
}

const showsIt: Record<EvidenceSource, (event: EpisodeEvent) => boolean> = {
  failure_then_success: ({ is_error }) => is_error === true,
  guard_triggered: ({ is_error }) => is_error === true,
  user_correction: ({ opener }) => opener === "correction",
  explicit_statement: ({ statement }) => statement !== undefined,
  pattern_observed: ({ role, kind }) => role === "user" && kind === "message",
}
