import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { readTextFile } from "../../disk/text-files.ts"
import { memberRoles } from "../../formats/legacy/roster.ts"
import { agentKey } from "../../formats/text.ts"
import { listEntryFiles, readRoster } from "../../team/team-files.ts"
import type { TeamStore } from "../../team/team-folder.ts"
import { buildContext } from "../context/context-builder.ts"
import { type ContextRecord, loggedAgent, readContexts } from "../context/context-log.ts"
import type { RecallParts } from "../recall-parts.ts"
import type { Catalogue, Catalogued, ItemSummary } from "./catalogue.ts"

/** A team member: what it has written, and the size of its context. */
export type AgentSummary = {
  name: string
  role: string | undefined
  entries: number
  decisions: number
  historyBytes: number
  /** Tokens of the context that every task starts with. */
  baseTokens: number
  /** Mean tokens of its contexts so far. */
  meanTokens: number | undefined
  tasks: number
  lastAt: number | undefined
}

export type AgentDescription = {
  summary: AgentSummary
  history: ItemSummary[]
  decisions: ItemSummary[]
  /** The topics of its entries, most common first. */
  knows: { tag: string; count: number }[]
  /** Its contexts, newest first. */
  handed: ContextRecord[]
}

const mostShown = 100

export async function listAgents(
  parts: RecallParts,
  catalogue: Catalogue,
  places: { store: TeamStore; contexts: string },
): Promise<AgentSummary[]> {
  const contexts = readContexts(places.contexts)
  const roles = rolesIn(places.store)
  const agents: AgentSummary[] = []
  for (const name of readRoster(places.store).values()) {
    const key = agentKey(name) ?? name
    const own = catalogue.items.filter((each) => isBy(each, key))
    const tasks = contexts.filter(({ agent, occasion }) => agent === loggedAgent(key) && occasion === undefined)
    const times = own.flatMap(({ row }) => row.at ?? [])
    agents.push({
      name,
      role: roles.get(name.toLowerCase()),
      entries: own.length,
      decisions: own.filter(isDecision).length,
      historyBytes: historyBytes(places.store, key),
      baseTokens: await baseTokens(parts, name),
      meanTokens: tasks.length === 0 ? undefined : Math.round(sum(tasks.map(({ tokens }) => tokens)) / tasks.length),
      tasks: tasks.length,
      lastAt: times.length === 0 ? undefined : times.reduce((latest, at) => Math.max(latest, at)),
    })
  }
  return agents
}

export function describeAgent(
  summary: AgentSummary,
  catalogue: Catalogue,
  places: { contexts: string },
): AgentDescription {
  const key = agentKey(summary.name) ?? summary.name
  const own = catalogue.items.filter((each) => isBy(each, key))
  const counts = new Map<string, number>()
  for (const tag of own.flatMap(({ row }) => row.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return {
    summary,
    history: own.flatMap(({ row }) => (row.source === "history" ? row : [])).slice(0, mostShown),
    decisions: own
      .filter(isDecision)
      .map(({ row }) => row)
      .slice(0, mostShown),
    knows: [...counts]
      .map(([tag, count]) => ({ tag, count }))
      .sort((one, other) => other.count - one.count || (one.tag < other.tag ? -1 : 1))
      .slice(0, mostShown),
    handed: readContexts(places.contexts)
      .filter(({ agent }) => agent === loggedAgent(key))
      .slice(-mostShown)
      .reverse(),
  }
}

/** Only the rules: everything else depends on the task. */
async function baseTokens(parts: RecallParts, agent: string): Promise<number> {
  const { context } = await buildContext(parts, { agent, task: "", isLook: true })
  const rules = context.explanation.filter(({ kept, lane }) => kept && lane === "rules")
  return sum(rules.map(({ tokens }) => tokens ?? 0))
}

/** Entries that an agent wrote, or that are in its history; session notes do not count. */
function isBy({ row, owner, people }: Catalogued, key: string): boolean {
  if (row.source === "session") return false
  return owner === key || people.some((name) => agentKey(name) === key)
}

function isDecision({ row }: Catalogued): boolean {
  return row.type === "decision"
}

function historyBytes(store: TeamStore, key: string): number {
  const files = store.folders.flatMap(listEntryFiles)
  const own = files.filter(({ source, agent }) => source === "history" && agentKey(agent) === key)
  return sum(own.map(({ absolute }) => statSync(absolute, { throwIfNoEntry: false })?.size ?? 0))
}

function rolesIn(store: TeamStore): Map<string, string> {
  const files = store.folders.map(({ path }) => join(path, "team.md")).filter((path) => existsSync(path))
  return new Map(files.flatMap((path) => [...memberRoles(readTextFile(path).text)]))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
