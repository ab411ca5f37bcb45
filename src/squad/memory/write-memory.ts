import { existsSync } from "node:fs"
import { join } from "node:path"
import { requireInRepository } from "../../disk/safe-paths.ts"
import { writeFileAtomic } from "../../disk/write-file-atomic.ts"
import { type Classification, classify } from "../../governance/classify.ts"
import { isAgentRule, signedByAgent } from "../agent-rules.ts"
import { recordChange, withStore } from "../change.ts"
import { readRoster } from "../list-files.ts"
import { type ClearedMemory, folderOfClass, memoryFileName, writeMemoryFile } from "./entry-file.ts"
import { addRecord } from "./load-index.ts"
import type { MemoryConfig } from "./memory-config.ts"
import { audit, auditNames, type MemoryContext, settingsOf } from "./memory-context.ts"
import { hasIndex, type IndexRecord } from "./memory-index.ts"
import {
  type ClearedTexts,
  clearRequest,
  refuse,
  requireContent,
  type Successor,
  type WriteRequest,
  type WriteResult,
} from "./write-request.ts"
import { replicate, writeExternally } from "./write-to-providers.ts"

/** Governance check, then entry file, index and audit, each on disk before the next; then copies at other providers. */
export async function writeMemory(
  context: MemoryContext,
  asked: WriteRequest,
  successor?: Successor,
): Promise<WriteResult> {
  requireContent(asked)
  const config = settingsOf(context)
  const { agent } = context
  const isAgents = agent !== undefined && successor === undefined // a successor keeps the original author
  const request = isAgents ? signedByAgent(asked, agent, readRoster(context.store)) : asked
  const classification = isAgents ? leftToPerson(request, classify(request)) : classify(request)
  if (!classification.allowed) return refuse(context, config, request, classification)
  const texts = clearRequest(request, config.personalData)
  if (texts.kind === "refused") {
    const reason = `Rejected as forbidden memory: ${texts.reason}`
    return refuse(context, config, request, { ...classification, class: "FORBIDDEN", allowed: false, reason })
  }
  if (classification.class === "COPILOT_MEMORY") {
    return writeExternally(context, config, request, { ...texts, classification }, successor)
  }
  const memory = makeMemory(
    context,
    { ...texts, metadata: withGuidance(texts.metadata, request, classification) },
    classification,
    successor,
  )
  const below = classification.destination === "decision-inbox" ? "decisions/inbox" : folderOfClass(memory.class)
  const path = await withStore(context.folder, () =>
    store(context, config, memory, { ...request, below, titleGiven: texts.titleGiven }),
  )
  await replicate(context, config, memory, classification, { ...request, titleGiven: texts.titleGiven })
  return { stored: true, id: memory.id, classification, path }
}

/** An agent's rule becomes a proposal in the inbox. */
function leftToPerson(request: WriteRequest, classification: Classification): Classification {
  if (!classification.allowed || !isAgentRule(request, classification)) return classification
  const reason = "A rule that an agent proposed waits in the decisions inbox until a person accepts it"
  return { ...classification, class: "POLICY", loadGuidance: "ALWAYS", destination: "decision-inbox", reason }
}

/** Marks a decision that the writer explicitly wants loaded always, which makes it a rule. */
function withGuidance(
  metadata: Record<string, string>,
  { loadGuidance }: WriteRequest,
  classification: Classification,
): Record<string, string> {
  const isSaid = loadGuidance !== undefined && classification.class === "DECISION"
  return isSaid ? { ...metadata, loadGuidance: classification.loadGuidance } : metadata
}

function makeMemory(
  context: MemoryContext,
  { content, title, author, metadata }: ClearedTexts,
  classification: Classification,
  successor: Successor | undefined,
): ClearedMemory {
  return {
    id: context.makeId(),
    class: classification.class,
    loadGuidance: classification.loadGuidance,
    title,
    author,
    createdAt: successor?.createdAt ?? context.now().toISOString(),
    metadata,
    ...(successor === undefined ? {} : { supersedes: successor.of }),
    content,
  }
}

function store(
  context: MemoryContext,
  config: MemoryConfig,
  memory: ClearedMemory,
  { below, ...request }: WriteRequest & { below: string; titleGiven: boolean },
): string {
  const { folder } = context
  const short = `${below}/${memoryFileName(memory)}`
  const name = existsSync(join(folder.path, short)) ? `${below}/${memory.id}.md` : short
  const path = `${folder.name}/${name}`
  const text = writeMemoryFile(memory)
  writeFileAtomic(requireInRepository(folder, name), text, { replaces: null })
  const record = recordOf(memory, path, context.now())
  const existed = hasIndex(folder)
  addRecord(context, record)
  // A successor is recorded together with its promotion.
  if (memory.supersedes === undefined) {
    const index = { existed, records: [{ id: memory.id, before: null, after: record }] }
    recordChange(folder, "memory write", { files: [{ path: name, before: null, after: text }], index }, context.now())
  }
  audit(context, config, {
    action: "write",
    id: memory.id,
    class: memory.class,
    ...auditNames({ title: memory.title, path, titleGiven: request.titleGiven }, "Stored governed memory"),
    reason: "Content is allowed for governed local memory",
    actor: request.author,
    provider: "local",
  })
  return path
}

function recordOf(memory: ClearedMemory, path: string, now: Date): IndexRecord {
  return {
    id: memory.id,
    class: memory.class,
    loadGuidance: memory.loadGuidance,
    title: memory.title,
    path,
    status: "active",
    ...(memory.supersedes === undefined ? {} : { supersedes: memory.supersedes }),
    createdAt: memory.createdAt,
    updatedAt: now.toISOString(),
  }
}
