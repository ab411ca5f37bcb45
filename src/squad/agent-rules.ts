import { hasRuleWords } from "../formats/has-rule-words.ts"
import { lookUp, type Roster } from "../formats/legacy/roster.ts"
import { normalizeEntry } from "../formats/normalize-entry.ts"
import { type ReadContext, readEntries } from "../formats/read-entries.ts"
import { collapseWhiteSpace } from "../formats/source-text.ts"
import { writeEntry } from "../formats/write-entry.ts"
import {
  type Classification,
  defaultLoadGuidance,
  type MemoryClass,
  readLoadGuidance,
  readsAsRule,
} from "../governance/classify.ts"
import { isRuleEntry } from "./load-guidance.ts"
import type { WriteRequest } from "./memory/write-request.ts"
import { isDirective } from "./merge/is-directive.ts"

/**
 * The review mark of a rule that an agent wrote. Only the user can make a rule for the team, so an agent's rule is a proposal in the
 * decisions inbox: a merge skips it, and no context includes it as a rule.
 */
export const reviewOfAgentRule = "a rule that an agent proposed: it needs the user's approval"

/** Whether an agent's memory would become a team rule because of its class, its load guidance, or its wording. */
export function isAgentRule(request: WriteRequest, { class: memoryClass, loadGuidance }: Classification): boolean {
  if (memoryClass === "COPILOT_MEMORY") return false // stored outside the team folder, so never a team rule
  if (memoryClass === "POLICY" || (loadGuidance === "ALWAYS" && isGuided(request, memoryClass))) return true
  return [request.title ?? "", request.content].some(statesRule)
}

/** Decisions default to ALWAYS because of their class; only an explicit mark makes one a rule. */
function isGuided({ loadGuidance, metadata }: WriteRequest, memoryClass: MemoryClass): boolean {
  const given = loadGuidance ?? metadata?.loadGuidance
  return readLoadGuidance(given) !== undefined || defaultLoadGuidance(memoryClass) !== "ALWAYS"
}

export function statesRule(text: string): boolean {
  return readsAsRule(text) || obligesEverybody.test(text) || (hasRuleWords(text) && isDirective(text))
}

/** "All commits must…", "Agents must not…": a rule, though not an imperative. */
const obligesEverybody =
  /\b(?:all|every|each|any|no|agents?|everyone|everybody|we|you)\b[^.!?\n]{0,60}\b(?:must|shall)(?: not|n't)?\b/i

/** Signs the request with the agent's name. Another agent's name is accepted; any other claimed author is kept as `onBehalfOf`. */
export function signedByAgent(request: WriteRequest, agent: string, roster: Roster): WriteRequest {
  const claimed = collapseWhiteSpace(request.author ?? "").trim()
  if (claimed === "" || claimed === agent) return { ...request, author: agent }
  if (lookUp(claimed, roster) !== undefined) return { ...request, author: claimed }
  return { ...request, author: agent, metadata: { ...request.metadata, onBehalfOf: claimed } }
}

/** Adds the review mark and the agent's name to every new rule in an inbox text, whatever author it claims. Other text is unchanged. */
export function markAgentRules(text: string, context: ReadContext, agent: string, before: string): string {
  const { segments } = readEntries(text, context)
  return segments
    .map((segment) => {
      const entry = segment.entry?.entry
      if (entry === undefined || !isRuleEntry(entry) || before.includes(segment.text)) return segment.text
      const claimed = entry.author === agent || entry.author === "unknown" ? [] : [entry.author]
      const extensions = [...entry.extensions, ...claimed.map((value) => ({ name: "onBehalfOf", value }))]
      const marked = normalizeEntry({ ...entry, author: agent, review: reviewOfAgentRule, extensions })
      return `${writeEntry(marked)}\n`
    })
    .join("")
}

/** The wording of each rule in a text. Two texts with equal sets have the same rules. */
export function rulesIn(text: string, context: ReadContext): Set<string> {
  const rules = readEntries(text, context).entries.flatMap(({ entry }) =>
    isRuleEntry(entry) && entry.supersededBy.length === 0
      ? [[entry.title, entry.summary, entry.details ?? "", entry.scope].map(collapseWhiteSpace).join("\n")]
      : [],
  )
  return new Set(rules)
}
