import { join } from "node:path"
import { readTextFile } from "../../disk/text-files.ts"
import { writeEntry } from "../../formats/entry-writer.ts"
import { splitLines } from "../../formats/source-text.ts"
import { agentKey } from "../../formats/text.ts"
import type { StoredItem } from "../../index/index-store.ts"
import { eligibilityOf } from "../eligibility.ts"
import { readPayload } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { defaultBudget } from "./context-builder.ts"
import { type Gathered, gather } from "./gather.ts"

/** A context in Squad's format, with the reason for every entry that is included or left out. */
export type SquadContext = {
  text: string
  tokens: number
  budget: number
  included: { id: string; source: string; tokens: number; reason: string }[]
  left: { id: string; reason: string }[]
}

export type SquadContextOptions = { task?: string | undefined; budget?: number | undefined }

/**
 * The team's rules and decisions and the agent's own history in Squad's format: relevant entries first, then the
 * newest; whole entries only, within the budget.
 */
export async function buildSquadContext(
  parts: RecallParts,
  root: string,
  agent: string,
  options: SquadContextOptions = {},
): Promise<SquadContext> {
  const { task = "", budget = defaultBudget } = options
  const name = agentKey(agent)
  const gathered = await gatherAll(parts, name, task)
  const context: SquadContext = { text: "", tokens: 0, budget, included: [], left: [] }
  const sections: Sections = { rules: [], memory: [] }
  const render = entryRenderer(root)
  for (const { item, reason, section } of gathered.map((each) => place(each, name, task, parts)).sort(byOrder)) {
    if (section === undefined) {
      context.left.push({ id: item.id, reason })
      continue
    }
    const text = render(item)
    const tokens = parts.countTokens(text)
    sections[section].push(text)
    if (parts.countTokens(frame(sections)) <= budget) {
      context.included.push({ id: item.id, source: item.source, tokens, reason })
    } else {
      sections[section].pop()
      context.left.push({ id: item.id, reason: `does not fit: it needs ${tokens} tokens` })
    }
  }
  const text = frame(sections)
  return { ...context, text, tokens: parts.countTokens(text) }
}

/** The context for a repository without a team folder. */
export function emptySquadContext(budget = defaultBudget): SquadContext {
  return { text: frame({ rules: [], memory: [] }), tokens: 0, budget, included: [], left: [] }
}

/** The fraction of the task's words that a note must contain to be included. */
const sharedWords = 0.25

type Sections = { rules: string[]; memory: string[] }
type Placed = { item: StoredItem; reason: string; section: keyof Sections | undefined; order: number; score: number }

/** Active decisions and the agent's history are included whether or not they are relevant. */
async function gatherAll(parts: RecallParts, agent: string | undefined, task: string): Promise<Gathered[]> {
  const now = parts.now().getTime()
  const found = await gather(parts, { agent, text: task })
  const seen = new Set(found.map(({ item }) => item.row))
  const all = await parts.index.select(
    { agent, superseded: true, sources: ["decisions", "inbox", "memory", "policy", "history"] },
    { now },
  )
  const others = all.filter(({ row }) => !seen.has(row))
  return [...found, ...others.map((item) => ({ item, score: 0, relevance: 0, qualifies: false, signals: undefined }))]
}

function place(
  { item, score, qualifies, signals }: Gathered,
  agent: string | undefined,
  task: string,
  parts: RecallParts,
): Placed {
  const standing = eligibilityOf(item, { agent, paths: [], now: parts.now().getTime() })
  const sharesWords = (signals?.coverage ?? 0) >= sharedWords
  const isAboutTask = (qualifies || sharesWords) && task.trim() !== ""
  const placed = (section: Placed["section"], order: number, reason: string): Placed => ({
    item,
    reason,
    section,
    order,
    score: isAboutTask ? score : 0,
  })
  if (standing.kind === "left") return placed(undefined, 9, standing.reason)
  if (item.source === "archive" && !qualifies) return placed(undefined, 9, "archived, and not relevant to the task")
  if (standing.lane === "rules" || standing.lane === "warnings") return placed("rules", 1, standing.reason)
  if (standing.lane === "own") return placed("memory", 3, standing.reason)
  if (item.load === "ALWAYS") return placed("rules", 2, "an active decision")
  return isAboutTask
    ? placed("rules", 4, "relevant to the task")
    : placed(undefined, 9, "on demand, and not relevant to the task")
}

function byOrder(one: Placed, other: Placed): number {
  return (
    one.order - other.order ||
    other.score - one.score ||
    (other.item.at ?? 0) - (one.item.at ?? 0) ||
    (one.item.id < other.item.id ? -1 : 1)
  )
}

function frame(sections: Sections): string {
  return `TEAM RULES:\n${sections.rules.join("\n\n")}\n\nYOUR MEMORY:\n${sections.memory.join("\n\n")}`
}

/** An entry as written in its file, or as Drey writes it. No line of it can be mistaken for a heading of the frame. */
function entryRenderer(root: string): (item: StoredItem) => string {
  const files = new Map<string, string[]>()
  const linesOf = (path: string): string[] => {
    const lines = files.get(path) ?? splitLines(readTextFile(join(root, path)).text).lines
    files.set(path, lines)
    return lines
  }
  return (item) => {
    const payload = readPayload(item)
    if (payload.kind !== "entry") return withoutFrame(`### ${item.type}: ${item.title}\n\n${item.text}`)
    const { read } = payload
    const isAsWritten = read.format === "legacy" && item.source !== "inbox"
    return withoutFrame(
      isAsWritten
        ? linesOf(item.path)
            .slice(read.line - 1, read.endLine)
            .join("\n")
        : writeEntry(read.entry),
    )
  }
}

function withoutFrame(text: string): string {
  return text.trim().replace(/^(TEAM RULES|YOUR MEMORY):/gm, "> $1:")
}
