import { DreyError } from "../errors.ts"
import { detectForbidden } from "./detect-forbidden.ts"
import { redactForbidden } from "./redaction.ts"

export const memoryClasses = ["TRANSIENT", "LOCAL", "DECISION", "POLICY", "COPILOT_MEMORY", "FORBIDDEN"] as const
export type MemoryClass = (typeof memoryClasses)[number]

/** When a memory is put before an agent. A superseded or deleted one is `ARCHIVE`. */
export const loadGuidances = ["ALWAYS", "ON-DEMAND", "ARCHIVE", "NEVER"] as const
export type LoadGuidance = (typeof loadGuidances)[number]

export type Destination = "none" | "local" | "decision-inbox" | "policy-inbox" | "external-semantic"

/** The result of the governance check. Squad's format, unchanged; the reason never contains the content. */
export type Classification = {
  class: MemoryClass
  allowed: boolean
  reason: string
  destination: Destination
  loadGuidance: LoadGuidance
}

export type ClassifyRequest = {
  content: string
  title?: string | undefined
  author?: string | undefined
  /** The class the caller wants, in any spelling. It overrides neither the forbidden nor the transient. */
  class?: string | undefined
  /** When agents get it; by default the class decides. */
  loadGuidance?: string | undefined
  metadata?: Record<string, string> | undefined
}

/** Classifies a text. Title, author and metadata are checked as well as the content. */
export function classify(request: ClassifyRequest): Classification {
  const [finding] = searchedTexts(request).flatMap((text) => detectForbidden(text))
  if (finding) return refused("FORBIDDEN", `Rejected as forbidden memory: ${finding.reason}`)
  const requested = request.class === undefined ? undefined : parseMemoryClass(request.class)
  if (requested === "FORBIDDEN") return refused("FORBIDDEN", "Requested class is forbidden")
  if (requested === "TRANSIENT" || isTransient(request.content)) {
    return refused("TRANSIENT", "Transient task state is not persisted as durable memory")
  }
  const chosen = requested ?? classByText(request.content)
  const guidance =
    request.loadGuidance === undefined
      ? readLoadGuidance(request.metadata?.loadGuidance)
      : parseLoadGuidance(request.loadGuidance)
  return {
    class: chosen,
    allowed: true,
    reason:
      chosen === "COPILOT_MEMORY"
        ? "Content is allowed for governed Copilot Memory provider after opt-in checks"
        : "Content is allowed for governed local memory",
    destination: destinationOf[chosen],
    loadGuidance: guidance ?? defaultLoadGuidance(chosen),
  }
}

/** The class for a word, in any case; an unknown word is an error that the user can fix. */
export function parseMemoryClass(text: string): MemoryClass {
  const wanted = text.trim().toUpperCase()
  const known = memoryClasses.find((name) => name === wanted)
  if (known) return known
  throw new DreyError(`Unknown memory class: ${redactForbidden(text)}`, {
    hint: `The classes are ${memoryClasses.join(", ")}.`,
  })
}

/** `ALWAYS`, `[always]` and similar; undefined for anything that is not load guidance. */
export function readLoadGuidance(text: string | undefined): LoadGuidance | undefined {
  const wanted = text
    ?.trim()
    .replace(/^\[|\]$/g, "")
    .toUpperCase()
  return loadGuidances.find((name) => name === wanted)
}

function parseLoadGuidance(text: string): LoadGuidance {
  const known = readLoadGuidance(text)
  if (known) return known
  throw new DreyError(`Unknown load guidance: ${redactForbidden(text)}`, { hint: `Write ${loadGuidances.join(", ")}.` })
}

export function defaultLoadGuidance(memoryClass: MemoryClass): LoadGuidance {
  return guidanceOf[memoryClass]
}

export function isForbidden(text: string): boolean {
  return detectForbidden(text).length > 0
}

const guidanceOf: Record<MemoryClass, LoadGuidance> = {
  DECISION: "ALWAYS",
  POLICY: "ALWAYS",
  LOCAL: "ON-DEMAND",
  COPILOT_MEMORY: "ON-DEMAND",
  TRANSIENT: "NEVER",
  FORBIDDEN: "NEVER",
}

const destinationOf: Record<MemoryClass, Destination> = {
  DECISION: "decision-inbox",
  POLICY: "policy-inbox",
  LOCAL: "local",
  COPILOT_MEMORY: "external-semantic",
  TRANSIENT: "none",
  FORBIDDEN: "none",
}

/** A secret may be cut in two by the line between a key and its value, so metadata is searched as `key: value` too. */
function searchedTexts({ content, title, author, metadata }: ClassifyRequest): string[] {
  const pairs = Object.entries(metadata ?? {}).map(([key, value]) => `${key}: ${value}`)
  return [content, title ?? "", author ?? "", ...pairs]
}

function refused(memoryClass: "FORBIDDEN" | "TRANSIENT", reason: string): Classification {
  return { class: memoryClass, allowed: false, reason, destination: "none", loadGuidance: "NEVER" }
}

/** Whether a text begins like a rule, after any leading marks. */
export function readsAsRule(text: string): boolean {
  return rule.test(text.replace(/^[^\p{L}]+/u, ""))
}

function classByText(content: string): MemoryClass {
  if (rule.test(content)) return "POLICY"
  if (decision.test(content)) return "DECISION"
  return external.test(content) ? "COPILOT_MEMORY" : "LOCAL"
}

const rule =
  /^\s*(?:always|never|must|do not|don['’]t|from now on|going forward|we don['’]t|prefer\b[^\n]{1,200}\bover)\b/i
const decision = /\b(?:decision|decided|adopt|standardize|use\b[^\n]{1,200}\bfor)\b/i
const external = /\b(?:copilot memory|semantic memory)\b/i

/** Whether a text only reports the current state of a run ("CI failed on main"); a rule or a lesson that mentions CI is durable. */
export function isTransient(text: string): boolean {
  if (text.length > longest || !status.test(text)) return false
  const sentences = text.split(/[.!?;](?:\s|$)|\n/).filter((sentence) => /\p{L}/u.test(sentence))
  const passing = sentences.filter((sentence) => status.test(sentence) && !durable.test(sentence))
  return passing.length > 0 && passing.length * 2 > sentences.length
}

/** A report this long is more than a status. */
const longest = 400

const run =
  "(?:CI|CD|builds?|pipelines?|workflows?|nightly|deploy(?:ment)?|checks?|tests?|test suite|e2e|lint|PRs?|pull requests?|MRs?|merge requests?|main|master|trunk)"
const which =
  "(?:[ \\t](?:run|job|build|check|checks|suite|branch|status|pipeline|workflow))?(?:[ \\t]?[#!]?\\d+)?(?:[ \\t](?:on|for|of|in)[ \\t][\\w/#.-]{1,40}(?:[ \\t](?:branch|repo))?)?"
const now = "(?:[ \\t]?[:=]|[ \\t](?:is|are|was|were|has|have|been|just|now|currently|still|all|again|already))*"
const state =
  "(?:fail(?:ed|ing|s)?|passed|passing|green|red|broken|pending|running|queued|stuck|blocked|succeeded|mergeable|approved|open|in review|in progress|waiting|down|timed out)"

const status = new RegExp(
  [
    `\\b${run}${which}${now}[ \\t*\\u{2705}\\u{274C}]{1,4}${state}\\b(?![ \\t]?(?:source|policy|path|flag|team|field|button|zone|state|status|rate|threshold|-|/))`,
    `\\b(?:waiting|blocked|pending)[ \\t](?:for|on)[ \\t](?:the[ \\t])?(?:CI|review|checks?|the build|PR)\\b`,
    `\\b(?:re-?running|re-?ran|retrying)[ \\t](?:the[ \\t])?(?:CI|build|pipeline|workflow|job|tests?)\\b`,
    `\\b\\d+[ \\t](?:of|/)[ \\t]\\d+[ \\t](?:checks|tests|jobs)[ \\t](?:passed|failed|passing|failing|green|red)\\b`,
  ].join("|"),
  "iu",
)

/** Words of rules, conditions and causes. */
const durable =
  /\b(?:must|should|shall|requires?|required|always|never|when(?:ever)?|if|before|until|unless|only|every|each|any|do not|don't|ensure|prefer|because|since|due to|caused?|root cause|fix(?:ed|es)?|so that|means|counts? as|policy|rule|gate|decided|use)\b/i
