import type { AgentMemory, Discovery, EntrySection, SessionDecision } from "../formats/session/agent-memory.ts"
import { impacts, importances } from "../formats/session/session-id.ts"
import type { Message } from "../formats/session/sibling-schemas.ts"
import { redactForbidden } from "../governance/redaction.ts"
import { findAgentFile, readMemories } from "./agent-files.ts"
import { qualifiedId, resolveReference } from "./entry-references.ts"
import type { NewDecision, NewDiscovery, NewMessage } from "./session-api.ts"
import { newFileText } from "./session-files.ts"
import { clearContent, requireOneOf, requireText } from "./session-input.ts"
import { changeMemory } from "./session-memory.ts"
import { updateMetadata } from "./session-metadata.ts"
import { runFollowUp, type SessionParts } from "./session-parts.ts"

export function recordDiscovery(parts: SessionParts, agent: string | undefined, discovery: NewDiscovery): Discovery {
  const { type, importance, content, summary, relatedFiles, actionItems } = discovery
  requireText("type", type)
  requireText("content", content)
  requireOneOf("importance", importance, importances)
  const fields = { type, importance, content, summary, relatedFiles, actionItems }
  return addEntry(parts, agent, "discoveries", fields).entry
}

export function recordDecision(parts: SessionParts, agent: string | undefined, decision: NewDecision): SessionDecision {
  const { type, description, reasoning, alternatives, impact, reversible } = decision
  requireText("type", type)
  requireText("description", description)
  requireOneOf("impact", impact, impacts)
  const settle = referenceSettler(parts, agent)
  const relatedDiscoveries = decision.relatedDiscoveries?.map((id) => settle("discoveries", id))
  const relatedAttempts = decision.relatedAttempts?.map((id) => settle("attempts", id))
  const judgement = { type, description, reasoning, alternatives, impact, reversible }
  return addEntry(parts, agent, "decisions", { ...judgement, relatedDiscoveries, relatedAttempts }).entry
}

/**
 * Writes a reference so that its meaning never changes: to another agent's entry as `agent/id`, because an entry with the same id may be
 * added later. An unresolved one is kept, because its target may still be added.
 */
function referenceSettler({ files, warn }: SessionParts, agent: string | undefined) {
  const memories = readMemories(files, { archived: true, unreadable: "skip" })
  const from = findAgentFile(files, agent).agent
  return (section: EntrySection, id: string): string => {
    const found = resolveReference(memories, from, { section, id })
    if (found) return found.agent === from ? found.id : qualifiedId(found.agent, found.id)
    const owners = [...memories].filter(([, memory]) => memory[section].some((entry) => entry.id === id))
    warn(
      owners.length === 0
        ? `The decision refers to ${redactForbidden(id)}, but no entry in this session has this id`
        : `${owners.length} agents have a ${id} that the decision may mean; write ${owners.map(([name]) => qualifiedId(name, id)).join(" or ")}`,
    )
    return id
  }
}

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

const prefixes = { discoveries: "discovery", attempts: "attempt", decisions: "decision" } as const

/**
 * The next free id of a section, over the live file and the archive: `attempt-004`. The archive may be large and is
 * only searched as text: a false match merely leaves a gap in the numbers.
 */
export function nextId(section: EntrySection, memory: AgentMemory, archive: string | undefined): string {
  const prefix = prefixes[section]
  const ids = [...memory[section].map(({ id }) => id), ...memory.history.flatMap((span) => span.ids)]
  const numbers = ids.map((id) => (id.startsWith(`${prefix}-`) ? Number(id.slice(prefix.length + 1)) : Number.NaN))
  for (const [, digits] of (archive ?? "").matchAll(archivedId(prefix))) numbers.push(Number(digits))
  return numberedId(prefix, numbers)
}

/** One more than the highest number. */
function numberedId(prefix: string, numbers: readonly number[]): string {
  const highest = numbers.filter(Number.isSafeInteger).reduce((one, other) => Math.max(one, other), 0)
  return `${prefix}-${String(highest + 1).padStart(3, "0")}`
}

function archivedId(prefix: string): RegExp {
  return new RegExp(`\\bid["']?[ \\t]{0,9}:[ \\t]{0,9}["']?${prefix}-(\\d{1,15})\\b`, "g")
}

/** Adds a message to the conversation, in full: it is not known yet what a later reader needs. */
export function addMessage(
  parts: SessionParts,
  { agent, role, content, toolCalls, toolResults, usage }: NewMessage,
): Message {
  requireText("role", role)
  requireText("content", content)
  const { files, now } = parts
  const said = {
    agent,
    role,
    content: clearContent(content),
    ...(toolCalls?.length ? { toolCalls } : {}),
    ...(toolResults?.length ? { toolResults } : {}),
    usage,
  }
  const changed = files.change(
    "conversation",
    files.pathOf("conversation"),
    ({ data }) => {
      const id = numberedId(
        "message",
        data.messages.map(({ id }) => Number(/^message-(\d{1,15})$/.exec(id)?.[1])),
      )
      return [{ op: "append", path: ["messages"], value: { id, timestamp: now().toISOString(), ...said } }]
    },
    () => newFileText("session-conversation", files.id, { messages: [] }),
  )
  runFollowUp(parts, () => updateMetadata(parts))
  const message = changed.data.messages.at(-1)
  if (!message) throw new Error("the conversation holds no message after one was added")
  return message
}
