import type { AgentMemory, EntrySection } from "../formats/session/agent-memory.ts"
import { findAgentFile } from "./agent-files.ts"
import { changeMemory } from "./change-memory.ts"
import { nextId } from "./next-id.ts"
import type { SessionParts } from "./session-parts.ts"

/**
 * Appends an entry to a section of an agent's memory under the next free id. Returns the agent and the entry as
 * written.
 */
export function addEntry<Section extends EntrySection>(
  parts: SessionParts,
  agent: string | undefined,
  section: Section,
  fields: Record<string, unknown>,
): { agent: string; entry: AgentMemory[Section][number] } {
  const file = findAgentFile(parts.files, agent)
  const archive = parts.files.text(file.archivePath)
  const memory = changeMemory(parts, file, (memory) => {
    const head = { id: nextId(section, memory, archive), timestamp: parts.now().toISOString() }
    return [{ op: "append", path: [section], value: { ...head, ...whatIsSaid(fields) } }]
  })
  const entry = memory[section].at(-1)
  if (!entry) throw new Error(`${file.path} holds no ${section} after one was added`)
  return { agent: file.agent, entry }
}

/** Omits undefined values and empty lists. */
function whatIsSaid(fields: Record<string, unknown>): Record<string, unknown> {
  const said = ([, value]: [string, unknown]) => value !== undefined && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(fields).filter(said))
}
