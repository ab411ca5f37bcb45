import {
  type AgentMemory,
  type Attempt,
  type Discovery,
  type EntrySection,
  entrySections,
  type SessionDecision,
} from "../formats/session/agent-memory.ts"

/** An entry of one agent's memory and where it stands there. */
export type PlacedEntry = { section: EntrySection; index: number; entry: Discovery | Attempt | SessionDecision }

/** Every entry of a memory, section by section, in the order of the file. */
export function listEntries(memory: AgentMemory): PlacedEntry[] {
  return entrySections.flatMap((section) => memory[section].map((entry, index) => ({ section, index, entry })))
}

/** What an entry names as its grounds. Decisions have fields for it; any other entry may carry the same fields. */
export function referencesOf(entry: PlacedEntry["entry"]): { section: EntrySection; id: string }[] {
  return entrySections.flatMap((section) => {
    const named: unknown = entry[fields[section]]
    return Array.isArray(named) ? named.filter(isText).map((id) => ({ section, id })) : []
  })
}

/**
 * Whose entry an agent means by a reference: its own, the one of the agent that is named in it (`tester/attempt-001`), or else that of
 * the only other agent that has one of this id.
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
