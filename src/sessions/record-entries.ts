import type { Discovery, EntrySection, SessionDecision } from "../formats/session/agent-memory.ts"
import { impacts, importances } from "../formats/session/known-values.ts"
import { withhold } from "../governance/withhold.ts"
import { addEntry } from "./add-entry.ts"
import { findAgentFile } from "./agent-files.ts"
import { readMemories } from "./read-memories.ts"
import { qualifiedId, resolveReference } from "./references-of.ts"
import { requireOneOf, requireText } from "./require-input.ts"
import type { NewDecision, NewDiscovery } from "./session.ts"
import type { SessionParts } from "./session-parts.ts"

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
 * Writes a reference so that it means the same for ever: to another agent's entry as `agent/id`, for an entry of the same id may come to
 * be beside it. One that leads nowhere is kept, as somebody may still add what it means.
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
        ? `The decision refers to ${withhold(id)}, but no entry in this session has this id`
        : `${owners.length} agents have a ${id} that the decision may mean; write ${owners.map(([name]) => qualifiedId(name, id)).join(" or ")}`,
    )
    return id
  }
}
