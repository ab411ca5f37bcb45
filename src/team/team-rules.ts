import { type ReadContext, readEntries } from "../formats/entries.ts"
import type { Entry } from "../formats/entry.ts"
import { normalizeEntry, writeEntry } from "../formats/entry-writer.ts"
import { lookUp, type Roster } from "../formats/legacy/roster.ts"
import { collapseWhiteSpace } from "../formats/source-text.ts"
import { hasRuleWords } from "../formats/text.ts"
import {
  type Classification,
  defaultLoadGuidance,
  type LoadGuidance,
  type MemoryClass,
  readLoadGuidance,
  readsAsRule,
} from "../governance/classify.ts"
import type { WriteRequest } from "./governed/governed-write.ts"

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

/** The load guidance marked in the entry, such as `**loadGuidance:** [ALWAYS]`; undefined if its class decides. */
export function markedGuidance({ extensions }: Entry): LoadGuidance | undefined {
  return readLoadGuidance(extensions.find(({ name }) => /^loadGuidance$/i.test(name))?.value)
}

/** Whether an entry is a binding rule: a directive, a policy, or an entry marked ALWAYS. */
export function isRuleEntry(entry: Entry): boolean {
  return entry.type === "directive" || isPolicy(entry) || markedGuidance(entry) === "ALWAYS"
}

export function isPolicy({ extensions }: Entry): boolean {
  return extensions.some(({ name, value }) => /^class$/i.test(name) && /^policy$/i.test(value.trim()))
}

/**
 * Whether the user's words state a lasting rule ("always…", "from now on…", "we don't…", a naming, style or process rule, a
 * preference of one tool over another). Requests, questions and complaints are not rules, nor are tasks for one agent named
 * in the roster or words about one piece of work.
 */
export function isDirective(text: string, roster: Roster = new Map()): boolean {
  const sentences = text
    .trim()
    .split(/(?<=[.!?])\s+|\n+/)
    .filter((sentence) => sentence.trim() !== "")
  const called = sentences.findIndex((sentence) => callsOne(sentence, roster)) // from there on, the text addresses that agent
  return sentences
    .slice(0, called === -1 ? undefined : called)
    .map((sentence) => sentence.replace(opening, "").trim())
    .some((sentence) => !isQuestion(sentence) && !noRule.test(sentence) && !passing.test(sentence) && isRule(sentence))
}

/** "Kane, …", "@kane …", "Hey Kane: …". Addressing the agent that records rules does not count. */
function callsOne(sentence: string, roster: Roster): boolean {
  const name = call.exec(sentence.trim())?.slice(1).find(Boolean)
  return name !== undefined && lookUp(name, roster) !== undefined && !/^(?:scribe|squad|coordinator)$/i.test(name)
}

const call =
  /^(?:[-*•>]\s+)?(?:(?:ok(?:ay)?|so|also|and|but|please|hey|hi|hello)[,:!—–-]*\s+)*(?:@([\p{L}\p{N}][\p{L}\p{N}_-]*)|([\p{L}\p{N}][\p{L}\p{N}_ -]*?)(?:[,:!]|\s[—–-])\s)/iu

/** Words about one pull request, branch or file, or about the current moment. */
const passing =
  /\b(?:this|that|these|those)\s+(?:PRs?|pull requests?|branch|branches|files?|commits?|issues?|tasks?|tickets?|sessions?|changes?|time|week|sprint)\b|\b(?:right|just|for) now\b|\bfor the moment\b|(?<!\bfrom )\b(?:today|tonight)\b|\buntil (?:tomorrow|then|I|it|we)\b/i

const opening =
  /^(?:[-*•>]\s+)?(?:(?:ok(?:ay)?|so|also|and|but|please|remember|hey|hi)[,:!—–-]*\s+|(?:[\p{L}]+ )?[\p{L}]+(?:[,:!]| [—–-])\s+)*/iu

function isQuestion(sentence: string): boolean {
  return /\?\s*$/.test(sentence) || question.test(sentence)
}

const question =
  /^(?:who|what|when|where|why|how|which|can|could|would|will|do|does|did|is|are|was|were|have|has|shall|should|may)\s+(?!not\b)(?:you|we|i|it|this|that|they|the|there|anyone|somebody|\w+\s+\w+\s*\?)/i

/** Words that look like a rule but describe a state, a feeling or an event. */
const noRule =
  /^never\s?mind\b|^(?:we|i|you)\s+(?:don't|do not|never|always)\s+(?:know|knew|have|had|need|see|saw|think|thought|understand|remember|care|got|get|seem|want|wanted|mean|did|were|was|went|found|heard|ran|run into|worked|finished|fixed|tested)\b|^(?:always|never)\s+(?:a|an|the|been|was|were|had|happened|heard|seen|worked|saw|got)\b|\b(?:always|never)[- ](?:on|ending|before)\b/i

function isRule(sentence: string): boolean {
  return rules.some((rule) => rule.test(sentence))
}

const subject =
  "(?:all|every|each|any|no|new|public|commit|commits|branch|branches|files?|tests?|functions?|variables?|names?|components?|classes|modules?|types?|errors?|logs?|comments?|imports?|exports?|endpoints?|APIs?|routes?|PRs?|pull requests?|reviews?|releases?|migrations?|secrets?|dependencies|docs|documentation|code|the code|our|dates?|timestamps?|database)"

const rules = [
  /^(?:always|never)\s+\w/i,
  /\bfrom (?:now|here|today) on(?:wards?)?\b|\bfrom this point (?:on|forward)\b|\bgoing forward\b|\bin (?:the )?future,? (?:always|never|use|we|do|don't|all|every)\b/i,
  /^(?:we|agents|nobody|no one|everyone|everybody)\s+(?:(?:should|must|shall|will|may|can)\s+)?(?:always|never|only ever)\s+\w/i,
  /^we\s+(?:don't|do not|no longer|never|only)\s+\w/i,
  /^(?:we|agents|everyone)\s+(?:must|shall|may)(?:\s+not|n't)?\s+\w/i,
  /^(?:don't|do not)\s+ever\b|^(?:don't|do not)\s+\w+(?:\s+\S+){0,6}\s+(?:without|before|unless|anywhere|in this (?:repo|project|code ?base)|directly|any ?more)\b/i,
  /^(?:don't|do not|avoid|stop|no more)\s+(?:us(?:e|ing)|commit(?:ting)?|push(?:ing)?|merg(?:e|ing)|writ(?:e|ing)|mock(?:ing)?)\s+(?!(?:it|that|this|them|those|these)\b)\w/i,
  /^no\s+[\w`-]+(?:\s+[\w`-]+){0,4}\s+(?:in|on|without|before|after|allowed|ever)\b/i,
  /^(?:we\s+)?(?:prefer|use)\s+\S+(?:\s+\S+){0,5}?,?\s+(?:over|instead of|rather than|not|and not|never)\s+\S/i,
  /^(?:we|our team|this (?:repo|project|team))\s+(?:use|uses|prefer|prefers|stick to|sticks to|write|name|format|follow)\s+\S+.*\b(?:for|in|everywhere|convention|style|only|as)\b/i,
  new RegExp(
    `^${subject}\\b.{0,60}?\\b(?:must|should|shall|needs? to|have to|has to|may not|cannot|can't|goes? (?:in|into|under|through)|go (?:in|into|under)|live in|are (?:always|never|named|written|kept|squashed|signed))\\b`,
    "i",
  ),
  /^(?:name|prefix|suffix|call)\s+(?:all|every|each|new|our|the)?\s*[\w`-]+(?:\s+[\w`-]+){0,3}\s+(?:in|with|as|after|by|like)\s+\S/i,
  /^(?:keep|limit)\s+(?:all|every|each|functions?|files?|lines?|commits?|PRs?|pull requests?|methods?|modules?)\b/i,
  /\b(?:is|are)\s+(?:out of scope|in scope|off[- ]limits|not supported|forbidden|not allowed|mandatory|required)\s+(?:for|in|on|from|until|before|by default)\b/i,
  /^(?:in this (?:repo|project|code ?base|team)|by (?:default|convention)|as a rule|whenever you|any ?time you|every time you),?\s+\w/i,
  /^make sure (?:that )?(?:all|every|each|no|we always)\b/i,
]
