import { sha256 } from "../disk/hash.ts"
import { parseMemoryKey } from "../formats/ids.ts"
import { cleanMemoryText, clip, longestMemory, parsePathPrefix, toOneLine } from "../formats/text.ts"
import { normalizeText } from "../formats/text-difference.ts"
import { type Cleared, type Clearing, clearText, generated } from "../governance/cleared.ts"
import type { Episode, EpisodeEvent, Frustration } from "./episode.ts"
import type { EpisodeCommit } from "./learned-store.ts"
import type { EvidenceSource, Memory, MemoryOrigin, Trigger, Trust } from "./memory.ts"
import type { EvidencePlace, NewText } from "./writer.ts"

/** A memory as it would be stored, after all checks that need no other memory. */
export type MemoryProposal = Omit<
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

export type QuotedEvidence = {
  source: EvidenceSource
  frustration: Frustration
  line: number
  quote: Cleared
  earlier?: readonly EvidencePlace[] | undefined
}

export type ProposalOutcome = { kind: "proposed"; proposal: MemoryProposal } | { kind: "dropped"; reason: string }

/** Turns a writer's proposal into a memory, or returns why it cannot be one. The reason never contains the text. */
export function proposeMemory(given: NewText, episode: Episode, commit: EpisodeCommit): ProposalOutcome {
  const dropped = (reason: string): ProposalOutcome => ({ kind: "dropped", reason })
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
  const proposal: MemoryProposal = {
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
    evidence: { source, frustration, ...quoteOf(episode.events, given.evidence), earlier: given.evidence.earlier },
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
): Pick<MemoryProposal, "scope" | "project" | "pathPrefix"> {
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
  { policy, now, learnedAt }: EpisodeCommit,
): string | undefined {
  const inDays = (days: number) => new Date(Date.parse(now) + days * dayMs).toISOString()
  if (ttlDays === null) return undefined
  if (ttlDays !== undefined && Number.isFinite(ttlDays)) return inDays(Math.min(365, Math.max(1, ttlDays)))
  if (tier === "long_term") return undefined
  const days = tier === "emergency" ? policy.emergencyDays : policy.shortTermDays
  const expires = inDays(days)
  // What old transcripts teach would end before anybody could use it: its trial begins when it is learned.
  const left = learnedAt === undefined ? days * dayMs : Date.parse(expires) - Date.parse(learnedAt)
  return left * 3 >= days * dayMs ? expires : new Date(Date.parse(learnedAt ?? now) + days * dayMs).toISOString()
}

/** The event used as evidence, quoted; the likeliest one when the writer names none. */
export function quoteOf(
  events: readonly EpisodeEvent[],
  evidence: NewText["evidence"],
): { line: number; quote: Cleared } {
  const event =
    events[evidence.event ?? -1] ?? events.find(showsIt[evidence.source]) ?? events.find(({ role }) => role === "user")
  return { line: event?.line ?? 0, quote: clearNote(evidence.quote ?? event?.raw_snippet ?? event?.summary ?? "") }
}

const showsIt: Record<EvidenceSource, (event: EpisodeEvent) => boolean> = {
  failure_then_success: ({ is_error }) => is_error === true,
  guard_triggered: ({ is_error }) => is_error === true,
  user_correction: ({ opener }) => opener === "correction",
  explicit_statement: ({ statement }) => statement !== undefined,
  pattern_observed: ({ role, kind }) => role === "user" && kind === "message",
}

/** Checks and normalizes a memory's text. The check runs before truncation: half an address would not be recognised. */
export function clearMemoryText(text: string): Clearing {
  const whole = clearLines(text)
  return whole.kind === "refused" ? whole : clearText(cleanMemoryText(whole.text))
}

/** A reason or a quote, redacted for storage. */
export function clearNote(text: string): Cleared {
  const whole = clearLines(text)
  const cut = whole.kind === "refused" ? whole : clearText(clip(whole.text, longestMemory))
  return cut.kind === "cleared" ? cut.text : generated("[withheld]")
}

/**
 * Checked both joined and as written: a secret split over lines is no longer one run of characters once joined by
 * spaces.
 */
function clearLines(text: string): Clearing {
  const written = clearText(text, "allow")
  return written.kind === "refused" ? written : clearText(toOneLine(text))
}

/** Checks a key or a path. A name cannot be redacted, so it is accepted whole or not at all. */
export function clearName(name: string | undefined): Cleared | undefined {
  const cleared = clearText(name ?? "", "reject")
  return cleared.kind === "cleared" && cleared.text !== "" ? cleared.text : undefined
}

const most = 20

/** Removes duplicates and what fails the governance check. */
export function clearTrigger(trigger: Trigger): Trigger {
  return ofEach((name) => trigger[name].filter((value) => value !== "" && clearText(value).kind === "cleared"))
}

/** Joins both; when there are too many, the newer ones are kept. */
export function joinTriggers(old: Trigger, newer: Trigger): Trigger {
  return ofEach((name) => [...newer[name], ...old[name]])
}

function ofEach(values: (name: keyof Trigger) => string[]): Trigger {
  const list = (name: keyof Trigger) => [...new Set(values(name))].slice(0, most)
  return { tools: list("tools"), heads: list("heads"), paths: list("paths"), fingerprints: list("fingerprints") }
}

/** The innermost folder containing all of these files; undefined when that is the repository root. */
function sharedFolder(files: readonly string[]): string | undefined {
  const folders = files.map((file) => parsePathPrefix(file)?.split("/").slice(0, -1))
  const [first, ...others] = folders
  if (!first) return undefined
  const length = others.reduce((shared, folder) => {
    const differs = first.findIndex((part, at) => part !== folder?.[at])
    return Math.min(shared, differs === -1 ? first.length : differs)
  }, first.length)
  return length === 0 ? undefined : first.slice(0, length).join("/")
}

export function isInside(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}

const trusts: Record<MemoryOrigin, Trust> = { user: 3, verified: 2, agent: 1, tool: 0, import: 0 }

/** The level of trust of a text, by its source. */
export function trustOf(origin: MemoryOrigin): Trust {
  return trusts[origin]
}

const origins: Record<EvidenceSource, MemoryOrigin> = {
  explicit_statement: "user",
  user_correction: "user",
  failure_then_success: "verified",
  guard_triggered: "verified",
  pattern_observed: "agent",
}

export function originOf(source: EvidenceSource): MemoryOrigin {
  return origins[source]
}
