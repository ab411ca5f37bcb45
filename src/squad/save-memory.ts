import type { Entry } from "../formats/entry.ts"
import { readEntries } from "../formats/read-entries.ts"
import type { MemoryClass } from "../governance/classify.ts"
import { type AgentMemoryRequest, writeAgentMemory } from "./memory/agent-memory.ts"
import type { MemoryContext } from "./memory/memory-context.ts"

/** A memory of an agent: its text, which may be a SEM entry, or its parts. */
export type NewMemory = string | { title?: string; summary: string; details?: string; tags?: string[]; author?: string }

export type SaveOutcome =
  | { kind: "stored"; id: string; path: string }
  | { kind: "refused"; class: MemoryClass; reason: string } // never contains the content

/**
 * Appends a memory to an agent's history under the team folder's lock, after the governance check. Existing text never changes.
 * Drey sets the time, not the agent.
 */
export async function saveMemory(context: MemoryContext, agent: string, memory: NewMemory): Promise<SaveOutcome> {
  const result = await writeAgentMemory(context, agent, toRequest(memory, agent))
  if (result.stored) return { kind: "stored", id: result.id, path: result.path }
  return { kind: "refused", class: result.classification.class, reason: result.classification.reason }
}

function toRequest(memory: NewMemory, agent: string): AgentMemoryRequest {
  if (typeof memory !== "string") return fromParts(memory)
  const { entries } = readEntries(memory.trim(), { kind: "history", agent })
  const [only] = entries
  if (entries.length !== 1 || only?.format !== "sem") return { content: memory }
  return fromEntry(only.entry, agent)
}

function fromParts({ title, summary, details, tags, author }: Exclude<NewMemory, string>): AgentMemoryRequest {
  return {
    content: summary,
    ...(title === undefined ? {} : { title }),
    ...(details === undefined ? {} : { details }),
    ...(tags === undefined ? {} : { tags }),
    ...(author === undefined ? {} : { author }),
  }
}

function fromEntry({ title, summary, details, rationale, tags, author }: Entry, agent: string): AgentMemoryRequest {
  const rest = [details, rationale].filter((part) => part !== undefined).join("\n\n")
  return {
    title,
    content: summary,
    ...(rest === "" ? {} : { details: rest }),
    tags,
    author: author === "unknown" ? agent : author,
  }
}
