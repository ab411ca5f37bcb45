import { statSync } from "node:fs"
import { join } from "node:path"
import { appendFileDurable } from "../../disk/atomic-write.ts"
import { requireInRepository } from "../../disk/safe-paths.ts"
import { namesIn } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { readEntries } from "../../formats/entries.ts"
import { type Entry, isScope, lengthOf, titleLimit } from "../../formats/entry.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { omitUndefined } from "../../formats/objects.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { timestampFromDate, toMarkdownTimestamp } from "../../formats/timestamp.ts"
import { classify, type MemoryClass } from "../../governance/classify.ts"
import { generated } from "../../governance/cleared.ts"
import { redactForbidden } from "../../governance/redaction.ts"
import { currentText, recordChange, withStore } from "../change.ts"
import type { StoreFolder } from "../team-folder.ts"
import { audit, auditNames, type GovernedContext, type MemoryConfig, settingsOf } from "./governed-context.ts"
import {
  type ClearedTexts,
  clearRequest,
  refuse,
  requireContent,
  type WriteRequest,
  type WriteResult,
} from "./governed-write.ts"
import { addRecord } from "./load-index.ts"
import { hasIndex, type IndexRecord } from "./memory-index.ts"

export type AgentMemoryRequest = Omit<WriteRequest, "class" | "approved"> & { tags?: string[]; details?: string }

/** Appends a memory to an agent's history after the governance check; existing bytes never change. */
export async function writeAgentMemory(
  context: GovernedContext,
  agent: string,
  request: AgentMemoryRequest,
): Promise<WriteResult> {
  const path = historyPath(context.folder, agent) // before the governance check: reject an invalid agent first
  requireContent(request)
  const config = settingsOf(context)
  // The details, tags and agent name (used for folder, author and scope) are checked too.
  const metadata = { agent, details: request.details ?? "", tags: request.tags?.join(", ") ?? "" }
  const classification = classify({ ...request, metadata, class: "LOCAL" })
  if (!classification.allowed) return refuse(context, config, request, classification)
  const texts = clearRequest({ ...request, metadata }, config.personalData)
  if (texts.kind === "refused" || texts.metadata.agent !== agent) {
    const reason = `Rejected as forbidden memory: ${texts.kind === "refused" ? texts.reason : "PII-like identifier"}`
    return refuse(context, config, request, { ...classification, class: "FORBIDDEN", allowed: false, reason })
  }
  const id = context.makeId()
  await withStore(context.folder, () => append(context, config, { agent, path, id, texts, request }))
  return { stored: true, id, classification, path: `${context.folder.name}/${path}` }
}

const nameLimit = 80

/** The path of an agent's history below the team folder; existing folders match in any case. Rejects names that could escape it. */
export function historyPath(folder: StoreFolder, agent: string): string {
  const name = agent.trim().replace(/\s+/g, "-")
  if (!isScope(`agent:${name}`) || lengthOf(name) > nameLimit) {
    throw new DreyError(`"${redactForbidden(agent)}" is not an agent's name`, {
      hint: `A name begins with a letter or digit; dots, dashes and underscores may follow, no slashes, ${nameLimit} characters at most.`,
    })
  }
  const found = namesIn(join(folder.path, "agents")).find((each) => each.toLowerCase() === name.toLowerCase())
  return `agents/${found ?? name.toLowerCase()}/history.md`
}

type Addition = { agent: string; path: string; id: string; texts: ClearedTexts; request: AgentMemoryRequest }

function append(context: GovernedContext, config: MemoryConfig, addition: Addition): void {
  const { path, id, texts, request } = addition
  const { folder } = context
  const before = currentText(folder, path) ?? ""
  const { title, content, metadata } = texts
  const isSummary = lengthOf(content) <= titleLimit && !content.includes("\n")
  const details = [isSummary ? "" : content, metadata.details ?? ""].filter((part) => part.trim() !== "").join("\n\n")
  const entry = normalizeEntry({
    type: "memory",
    timestamp: freeSecond(before, context.now()),
    author: texts.author === "unknown" ? addition.agent : texts.author,
    title: title.slice(0, titleLimit),
    summary: isSummary ? content : title.slice(0, titleLimit),
    scope: `agent:${path.split("/")[1]}`,
    tags: [metadata.tags ?? ""],
    details,
    id,
  })
  const lineEnd = dominantLineEnd(before)
  const gap = before === "" || /\n\r?\n$/.test(before) ? "" : before.endsWith("\n") ? lineEnd : lineEnd + lineEnd
  const text = generated(`${gap}${writeEntry(entry, { lineEnd })}`)
  const target = requireInRepository(folder, path)
  const start = statSync(target, { throwIfNoEntry: false })?.size ?? null
  appendFileDurable(target, text)
  const now = context.now().toISOString()
  const record: IndexRecord = {
    id,
    class: "LOCAL",
    loadGuidance: "ON-DEMAND",
    title: entry.title,
    path: `${folder.name}/${path}`,
    status: "active",
    createdAt: now,
    updatedAt: now,
    anchor: id,
  }
  const index = { existed: hasIndex(folder), records: [{ id, before: null, after: record }] }
  addRecord(context, record)
  recordChange(folder, "memory write", { appended: { path, start, text }, index }, context.now())
  audit(context, config, {
    action: "write",
    id,
    class: "LOCAL",
    // The path comes from the agent's name, not from the title, so it may always be shown.
    title: auditNames({ title: entry.title, path, titleGiven: texts.titleGiven }, "Stored governed memory").title,
    path: `${folder.name}/${path}`,
    reason: "Content is allowed for governed local memory",
    actor: request.author ?? addition.agent,
    provider: "local",
  })
}

/** Times identify entries too, so each gets its own second; in a full minute the id must do, not an invented time. */
export function freeSecond(history: string, now: Date): string {
  for (let later = 0; later <= 60; later++) {
    const timestamp = timestampFromDate(new Date(now.getTime() + later * 1000))
    if (!history.includes(`### ${toMarkdownTimestamp(timestamp)}:`)) return timestamp
  }
  return timestampFromDate(now)
}

/** A memory of an agent: its text, which may be a SEM entry, or its parts. */
export type MemoryToSave =
  | string
  | { title?: string; summary: string; details?: string; tags?: string[]; author?: string }

export type SaveOutcome =
  | { kind: "stored"; id: string; path: string }
  | { kind: "refused"; class: MemoryClass; reason: string } // never contains the content

/**
 * Appends a memory to an agent's history under the team folder's lock, after the governance check. Existing text never changes.
 * Drey sets the time, not the agent.
 */
export async function saveMemory(context: GovernedContext, agent: string, memory: MemoryToSave): Promise<SaveOutcome> {
  const result = await writeAgentMemory(context, agent, toRequest(memory, agent))
  if (result.stored) return { kind: "stored", id: result.id, path: result.path }
  return { kind: "refused", class: result.classification.class, reason: result.classification.reason }
}

function toRequest(memory: MemoryToSave, agent: string): AgentMemoryRequest {
  if (typeof memory !== "string") return fromParts(memory)
  const { entries } = readEntries(memory.trim(), { kind: "history", agent })
  const [only] = entries
  if (entries.length !== 1 || only?.format !== "sem") return { content: memory }
  return fromEntry(only.entry, agent)
}

function fromParts({ title, summary, details, tags, author }: Exclude<MemoryToSave, string>): AgentMemoryRequest {
  return {
    content: summary,
    ...omitUndefined({ title, details, tags, author }),
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
