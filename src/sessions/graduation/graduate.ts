import type { Entry } from "../../formats/entry.ts"
import type { AgentMemory } from "../../formats/session/agent-memory.ts"
import { parsePathPrefix, toOneLine } from "../../formats/text.ts"
import { isTransient } from "../../governance/classify.ts"
import { detectForbidden } from "../../governance/detect-forbidden.ts"
import { hasRedactionMark, scrubText } from "../../governance/redaction.ts"
import type { EvidenceSource, MemoryKind, Trigger } from "../../memories/memory.ts"

/** Something a session leaves behind for others, and where it would go. */
export type Graduate = LearnedGraduate | DecisionGraduate | LessonGraduate

/** An entry of a session. */
export type Source = { agent: string; id: string }

type Proposed = {
  /** `<agent>/<id>` of the entry that it is named by; an entry is named by one graduate at most. */
  id: string
  why: string
  /** The entries that it fully covers: they graduate with it. */
  sources: Source[]
  /** Needs no confirmation. */
  inAuto: boolean
}

/** For learned memory, on trial there. */
export type LearnedGraduate = Proposed & {
  target: "learned"
  kind: Extract<MemoryKind, "pattern" | "guard" | "invariant">
  text: string
  confidence: number
  trigger: Trigger
  evidence: Extract<EvidenceSource, "failure_then_success" | "pattern_observed">
  /** The text of the entries, the main one first. */
  quotes: (Source & { ts: string; text: string })[]
}

/** For the inbox of the team's decisions. */
export type DecisionGraduate = Proposed & { target: "inbox"; entry: Entry }

/** For the history of the agent that learned it: learned memory knows users and projects and no agents, the team's memory does. */
export type LessonGraduate = Proposed & {
  target: "history"
  agent: string
  entryId: string
  text: string
  details: string
}

/** What every agent of a session noted, by the agents' names. */
export type AgentMemories = ReadonlyMap<string, AgentMemory>

export function nameOf({ agent, id }: Source): string {
  return `${agent}/${id}`
}

const longestRead = 4000
const longestList = 240

/**
 * What an agent noted down, as sentences that another session can use: a line that announces a list is one sentence with it, and what
 * only held at that moment is left out.
 */
export function statementsOf(text: string): string[] {
  const blocks = blocksOf(scrubText(text.slice(0, longestRead))) // as a whole: a single line of a key does not identify it
  const prose = blocks.filter(({ kind }) => kind !== "item")
  const told = (prose.length > 0 ? prose : blocks).flatMap((block) =>
    block.kind === "list" ? tellList(block) : sentencesOf(block.text),
  )
  const kept: string[] = []
  let isBroken = false // omitting an entry also omits what refers to it
  for (const sentence of told) {
    isBroken = !lasts(sentence) || (isBroken && refersBack.test(sentence))
    if (!isBroken) kept.push(withEnd(sentence))
  }
  return kept
}

function lasts(sentence: string): boolean {
  return !isMomentary(sentence) && !isIncomplete(sentence)
}

/** Also if the subject is missing: it was in the sentence before. */
const refersBack =
  /^(?:this|that|these|those|it|they|he|she|so|then|also|but|therefore|hence|such|should|must|can|could|may|might|would|needs?)\b/i

/** A separate line, a list with its introducing line, or an item without one. */
type NoteBlock = { kind: "line" | "item"; text: string } | { kind: "list"; label: string; items: string[] }

function blocksOf(text: string): NoteBlock[] {
  const blocks: NoteBlock[] = []
  for (const line of linesOf(text)) {
    const item = /^(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?(.*)$/.exec(line)?.[1]
    const last = blocks.at(-1)
    if (item !== undefined && last?.kind === "list") last.items.push(item)
    else if (item !== undefined) blocks.push({ kind: "item", text: item })
    else if (line.endsWith(":")) blocks.push({ kind: "list", label: line, items: [] })
    else if (last?.kind === "line" && /^\p{Ll}/u.test(line) && !/[.!?:;]$/.test(last.text)) last.text += ` ${line}`
    else blocks.push({ kind: "line", text: line })
  }
  return blocks
}

/** Without code, headings and rules, each as it reads on one line. */
function linesOf(text: string): string[] {
  let isCode = false
  return text.split("\n").flatMap((raw) => {
    const line = toOneLine(raw)
    if (/^(?:```|~~~)/.test(line)) {
      isCode = !isCode
      return []
    }
    return isCode || line === "" || /^(?:#{1,6}\s|-{3,}$|={3,}$|\|)/.test(line) ? [] : [line]
  })
}

function tellList({ label, items }: Extract<NoteBlock, { kind: "list" }>): string[] {
  let told = ""
  for (const item of items.filter(lasts).map((each) => each.replace(/[.;,:]+$/, ""))) {
    const longer = told === "" ? `${label} ${item}` : `${told}; ${item}`
    if (longer.length > longestList) break
    told = longer
  }
  return told === "" ? [] : [told]
}

function sentencesOf(line: string): string[] {
  return line.split(/(?<=[.!?][)"'’”`*]?) (?=[\p{Lu}\p{N}`"'“*])/u)
}

function withEnd(sentence: string): string {
  return /[.!?。！？…]["'”’)`]?$/.test(sentence) ? sentence : `${sentence.replace(/[,;:]+$/, "")}.`
}

/**
 * Whether a sentence is not worth keeping after the session: it is about the current work or a temporary state, it is a question, or it
 * repeats what Drey handed out.
 */
export function isMomentary(sentence: string): boolean {
  return signs.some((sign) => sign.test(sentence)) || isTransient(sentence)
}

/** Whether something was or has to be redacted: the rest would be misleading. */
export function isIncomplete(sentence: string): boolean {
  return hasRedactionMark(sentence) || detectForbidden(sentence).length > 0
}

const signs = [
  /\?\s*$/,
  /\b(?:for now|right now|at the moment|for the time being|currently|so far|not yet|as of (?:now|today)|temporarily|temporary (?:fix|hack|workaround|solution)|today|yesterday|tomorrow|tonight|this (?:morning|afternoon|week))\b/i,
  /\b(?:todo|to-do|wip|work in progress|in progress|half[- ]done|partially (?:done|implemented|exists?))\b|\b(?:is|are|but|still|yet) (?:incomplete|unfinished)\b/i,
  /\b(?:this|current|our|the present) (?:task|session|step|attempt|plan|run|branch|ticket|issue|sprint|pr|pull request|request)\b/i,
  /\b(?:the )?task(?:'s)? (?:requirements?|explicitly|specifically|asks?|says|mentions|requires|complexity|description)\b|\b(?:for|in|by) the task\b|\bas (?:specified|requested|asked|planned)\b/i,
  /\b(?:pr|mr|pull request|merge request|issue|ticket|build|job|run) ?[#!]\d+|(?<![\w&]|error )#\d{1,7}\b|\b(?:plan )?step \d{1,3}\b|\bcommit [0-9a-f]{7,40}\b/i,
  /\b(?:attempt|discovery|decision|disc|dec)-(?:[a-z]{1,20}-)?\d/i,
  /^(?:needs?|next(?: steps?)?|remaining|missing|still (?:open|missing|to do)|open questions?|will|going to|about to|can proceed|i (?:will|should|need))\b|^existing:|^[^:]{0,60}\bneeds?:/i,
  /\bm:[0-9a-f]{6}\b|\bm-[0-9a-f]{16}\b|<drey-context\b/,
  /\bmore careful(?:ly)?\b|\bshould(?: ha|')ve (?:read|checked|known|looked|asked|thought|noticed)\b/i, // hindsight, of no use to others
]

/** Those of the paths that lead into the repository, in the form in which memories name them. */
export function filesIn(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => parsePathPrefix(path) ?? []))]
}
