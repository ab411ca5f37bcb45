import { join } from "node:path"
import { readTextFile } from "../disk/read-text-file.ts"
import { agentOfScope } from "../formats/scope.ts"
import { splitLines } from "../formats/source-text.ts"
import { instantOf } from "../formats/timestamp.ts"
import { writeEntry } from "../formats/write-entry.ts"
import { scoreTerms } from "./memory/match-terms.ts"
import type { MemoryContext } from "./memory/memory-context.ts"
import { listSearchable, type Searchable } from "./memory/searchable.ts"

export type ContextOptions = { task?: string | undefined; budget?: number | undefined }

/** What an agent is handed, with the reason for every entry that is in it and every one that is not. */
export type Context = {
  text: string
  tokens: number
  budget: number
  included: { id: string; source: string; tokens: number; reason: string }[]
  left: { id: string; reason: string }[]
}

const defaultBudget = 2000
const charactersPerToken = 4

/**
 * What the team has agreed on and what the agent itself remembers: directives and policies first, then decisions, then the
 * agent's history, each newest first; whole entries only, never more than the budget.
 */
export function buildContext(memory: MemoryContext, agent: string, options: ContextOptions = {}): Context {
  const budget = options.budget ?? defaultBudget
  const name = agent.trim().replace(/\s+/g, "-").toLowerCase()
  const candidates = listSearchable(memory, { skills: false })
    .map((item) => ({ item, standing: standingOf(item, name, options.task) }))
    .sort((one, other) => rankOf(one.standing) - rankOf(other.standing) || newestFirst(one.item, other.item))
  const context: Context = { text: "", tokens: 0, budget, included: [], left: [] }
  const parts: Record<Part, string[]> = { rules: [], memory: [] }
  const sources = new Map<string, string[]>()
  for (const { item, standing } of candidates) {
    if (standing.kind === "left") {
      if (standing.reason !== undefined) context.left.push({ id: item.id, reason: standing.reason })
      continue
    }
    const text = render(memory, item, sources)
    parts[standing.part].push(text)
    if (tokensOf(frame(parts)) <= budget) {
      context.included.push({ id: item.id, source: item.source, tokens: tokensOf(text), reason: standing.reason })
    } else {
      parts[standing.part].pop()
      context.left.push({ id: item.id, reason: `does not fit: it takes ${tokensOf(text)} tokens` })
    }
  }
  const text = frame(parts)
  return { ...context, text, tokens: tokensOf(text) }
}

type Part = "rules" | "memory"
type Standing = { kind: "in"; part: Part; rank: number; reason: string } | { kind: "left"; reason: string | undefined } // undefined: not this agent's business at all

function standingOf(item: Searchable, agent: string, task: string | undefined): Standing {
  const { entry, source, loadGuidance } = item
  const owner = source === "history" || source === "archive" ? agentOfPath(item.path) : undefined
  const isForOther = (name: string | undefined) => name !== undefined && name !== agent
  if (isForOther(owner) || isForOther(agentOfScope(entry.scope))) return { kind: "left", reason: undefined }
  if (item.superseded) return { kind: "left", reason: "superseded" }
  if (loadGuidance === "ARCHIVE" || loadGuidance === "NEVER") return { kind: "left", reason: "archived" }
  if (source === "history") return { kind: "in", part: "memory", rank: 3, reason: `${agent}'s own history` }
  if (source === "inbox" && !item.governed) return { kind: "left", reason: "waiting in the inbox" }
  if (item.class === "POLICY") return { kind: "in", part: "rules", rank: 1, reason: "a rule of the team" }
  if (loadGuidance === "ALWAYS") return { kind: "in", part: "rules", rank: 2, reason: "a decision in force" }
  const isAboutTask = task !== undefined && words(task).some((term) => scoreTerms([term], entry.title, item.body) > 0)
  if (!isAboutTask) return { kind: "left", reason: "on demand, and not about the task" }
  return { kind: "in", part: "rules", rank: 4, reason: "about the task" }
}

function rankOf(standing: Standing): number {
  return standing.kind === "in" ? standing.rank : 9
}

function newestFirst(one: Searchable, other: Searchable): number {
  return instantOf(other.entry.timestamp) - instantOf(one.entry.timestamp) || (one.id < other.id ? -1 : 1)
}

function agentOfPath(path: string): string | undefined {
  return /\/agents\/(?:_alumni\/)?([^/]+)\//.exec(path)?.[1]?.toLowerCase()
}

/** Short words say nothing about a task. */
function words(task: string): { text: string; negated: false }[] {
  const found = task.match(/[\p{L}\p{N}]{4,}/gu) ?? []
  return found.map((text) => ({ text, negated: false }))
}

/** The frame agents of Squad know. */
function frame(parts: Record<Part, string[]>): string {
  return `TEAM RULES:\n${parts.rules.join("\n\n")}\n\nYOUR MEMORY:\n${parts.memory.join("\n\n")}`
}

/** An entry as it stands in its file, or in the one form Drey writes. No line of it can pass for a part of the frame. */
function render(memory: MemoryContext, item: Searchable, sources: Map<string, string[]>): string {
  const text =
    item.stored?.format === "legacy" && item.source !== "inbox"
      ? linesOf(memory, item, sources).join("\n")
      : writeEntry(item.entry)
  return text.trim().replace(/^(TEAM RULES|YOUR MEMORY):/gm, "> $1:")
}

function linesOf({ store }: MemoryContext, item: Searchable, sources: Map<string, string[]>): string[] {
  const lines = sources.get(item.path) ?? splitLines(readTextFile(join(store.root, item.path)).text).lines
  sources.set(item.path, lines)
  return lines.slice(item.line - 1, item.stored?.endLine)
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}
