import { DreyError, exitCode } from "../errors.ts"
import {
  type AgentMemory,
  type Attempt,
  type Discovery,
  type EntrySection,
  entrySections,
  type SessionDecision,
} from "../formats/session/agent-memory.ts"
import { redactForbidden } from "../governance/redaction.ts"
import type { EntryTrace, SessionEntry } from "./session-api.ts"

/** An entry of one agent's memory and its position there. */
export type LocatedEntry = { section: EntrySection; index: number; entry: Discovery | Attempt | SessionDecision }

/** Every entry of a memory, section by section, in the order of the file. */
export function listEntries(memory: AgentMemory): LocatedEntry[] {
  return entrySections.flatMap((section) => memory[section].map((entry, index) => ({ section, index, entry })))
}

/** What an entry names as its grounds. Decisions have fields for it; any other entry may carry the same fields. */
export function referencesOf(entry: LocatedEntry["entry"]): { section: EntrySection; id: string }[] {
  return entrySections.flatMap((section) => {
    const named: unknown = entry[fields[section]]
    return Array.isArray(named) ? named.filter(isText).map((id) => ({ section, id })) : []
  })
}

/**
 * Resolves an agent's reference: its own entry, that of the named agent (`tester/attempt-001`), or else that of the only other agent with
 * this id.
 */
export function resolveReference(
  memories: ReadonlyMap<string, AgentMemory>,
  from: string,
  { section, id }: { section: EntrySection; id: string },
): { agent: string; id: string } | undefined {
  const owners = [...memories].flatMap(([agent, memory]) =>
    memory[section].filter((entry) => means(id, agent, entry)).map((entry) => ({ agent, id: entry.id })),
  )
  const own = owners.find(({ agent }) => agent === from)
  return own ?? (owners.length === 1 ? owners[0] : undefined)
}

/** Whether a reference is this entry's id, alone or behind the name of its agent. */
export function means(reference: string, agent: string, { id }: { id: string }): boolean {
  return reference === id || reference === qualifiedId(agent, id)
}

/** `tester/attempt-001`. */
export function qualifiedId(agent: string, id: string): string {
  return `${agent}/${id}`
}

const fields = {
  discoveries: "relatedDiscoveries",
  attempts: "relatedAttempts",
  decisions: "relatedDecisions",
} as const

function isText(value: unknown): value is string {
  return typeof value === "string"
}

/** The memories of a session's agents by name: live and archived. */
export type TracedMemories = { live: ReadonlyMap<string, AgentMemory>; archived: ReadonlyMap<string, AgentMemory> }

/**
 * Follows an entry to everything it refers to or is referred to by, directly or indirectly. Only the first step also
 * includes attempts at the same plan step and entries with the same files; otherwise everything would be connected.
 */
export function traceEntry(
  memories: TracedMemories,
  id: string,
  options: { agent?: string | undefined } = {},
): EntryTrace {
  const web = spinWeb(memories)
  const start = findEntry(web, id, options.agent)
  const trace: EntryTrace = { start, linked: [], missing: [] }
  const reached = new Set([start])
  const queue = [start]
  const reach = (from: SessionEntry, links: Link[]) => {
    for (const { relation, found } of links) {
      if (reached.has(found)) continue
      reached.add(found)
      queue.push(found)
      trace.linked.push({ from: from.entry.id, fromAgent: from.agent, relation, found })
    }
  }
  const follow = () => {
    for (let from = queue.shift(); from; from = queue.shift()) {
      reach(from, web.links.get(from) ?? [])
      for (const missing of web.missing.get(from) ?? []) trace.missing.push({ from: from.entry.id, id: missing })
    }
  }
  follow()
  reach(start, neighboursOf(start, web.entries))
  follow()
  return trace
}

/**
 * The entry with this id. If two agents have one, the agent must be given, as an option or in the id:
 * `tester/attempt-001`.
 */
function findEntry({ entries }: Web, id: string, agent: string | undefined): SessionEntry {
  const isOf = (owner: string) => agent === undefined || owner === agent
  const bare = entries.filter(({ entry, agent: owner }) => entry.id === id && isOf(owner))
  const found =
    bare.length > 0 ? bare : entries.filter(({ entry, agent: owner }) => qualifiedId(owner, entry.id) === id)
  const owners = [...new Set(found.map(({ agent: owner }) => owner))]
  const [first] = found
  if (!first)
    throw new DreyError(
      `This session has no entry ${redactForbidden(id)}${agent === undefined ? "" : ` of ${redactForbidden(agent)}`}`,
      {
        hint: '"drey session show" lists the entries of a session.',
        exitCode: exitCode.no,
      },
    )
  if (owners.length > 1)
    throw new DreyError(`${id} is an entry of ${owners.join(", and another of ")}`, {
      hint: `Name the agent: ${owners[0]}/${id}, or --agent ${owners[0]}.`,
    })
  return first
}

type Link = Pick<EntryTrace["linked"][number], "relation" | "found">

type Web = {
  entries: SessionEntry[]
  links: Map<SessionEntry, Link[]>
  missing: Map<SessionEntry, string[]>
}

const kinds = { discoveries: "discovery", attempts: "attempt", decisions: "decision" } as const

function spinWeb(memories: TracedMemories): Web {
  const entries = collectEntries(memories)
  const byId = new Map<string, SessionEntry[]>()
  for (const each of entries)
    for (const name of [each.entry.id, qualifiedId(each.agent, each.entry.id)]) add(byId, `${each.kind} ${name}`, each)
  const web: Web = { entries, links: new Map(), missing: new Map() }
  for (const from of entries)
    for (const { section, id } of referencesOf(from.entry)) {
      const named = byId.get(`${kinds[section]} ${id}`) ?? []
      const found = named.find(({ agent }) => agent === from.agent) ?? named[0]
      if (!found) add(web.missing, from, id)
      else {
        add(web.links, from, { relation: section === "discoveries" ? "rests on" : "follows from", found })
        add(web.links, found, { relation: "led to", found: from })
      }
    }
  return web
}

/** A process killed during archiving leaves entries in both files: the live ones win. */
function collectEntries({ live, archived }: TracedMemories): SessionEntry[] {
  const found = new Map<string, SessionEntry>()
  for (const [memories, isArchived] of [[live, false] as const, [archived, true] as const])
    for (const [agent, memory] of memories)
      for (const { section, entry } of listEntries(memory)) {
        const key = [agent, section, entry.id].join("\0")
        const each = { kind: kinds[section], agent, archived: isArchived, entry } as SessionEntry // the section determines the kind
        if (!found.has(key)) found.set(key, each)
      }
  return [...found.values()]
}

function neighboursOf(start: SessionEntry, entries: readonly SessionEntry[]): Link[] {
  const step = start.kind === "attempt" ? start.entry.planStep : undefined
  const files = filesOf(start)
  return entries.flatMap((found): Link[] => {
    if (step !== undefined && found.kind === "attempt" && found.entry.planStep === step)
      return [{ relation: "same step", found }]
    const isShared = filesOf(found).some((one) => files.some((other) => covers(one, other) || covers(other, one)))
    return isShared ? [{ relation: "same file", found }] : []
  })
}

function filesOf(each: SessionEntry): string[] {
  if (each.kind === "decision") return []
  const paths = each.kind === "discovery" ? each.entry.relatedFiles : each.entry.artifacts.map(({ path }) => path)
  return paths
    .map((path) => path.replaceAll("\\", "/").replace(/^\.\//, "").replace(/\/$/, ""))
    .filter((path) => path !== "")
}

/** The same path, or a parent folder. */
function covers(above: string, path: string): boolean {
  return path === above || path.startsWith(`${above}/`)
}

function add<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
