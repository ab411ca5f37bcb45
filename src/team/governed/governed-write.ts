import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { prepareFile } from "../../disk/atomic-write.ts"
import { requireInRepository, requireTeamFolder } from "../../disk/safe-paths.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { type Classification, classify } from "../../governance/classify.ts"
import { type Cleared, clearText, type PersonalDataPolicy } from "../../governance/cleared.ts"
import { recordChange, withStore } from "../change.ts"
import { readRoster } from "../team-files.ts"
import { isAgentRule, signedByAgent } from "../team-rules.ts"
import {
  audit,
  auditNames,
  auditTitle,
  type GovernedContext,
  type MemoryConfig,
  settingsOf,
} from "./governed-context.ts"
import { addRecord, openIndex } from "./load-index.ts"
import { type ClearedMemory, firstLine, folderOfClass, memoryFileName, writeMemoryFile } from "./memory-file.ts"
import { hasIndex, type IndexRecord, writeIndex } from "./memory-index.ts"
import {
  adapterDisabled,
  adapterName,
  adapterWithoutClient,
  approvalRequired,
  copilotUnavailable,
  providerFailure,
} from "./providers.ts"

/** Governance check, then entry file, index and audit; both files are on disk before it returns. Then copies at other providers. */
export async function writeMemory(
  context: GovernedContext,
  asked: WriteRequest,
  successor?: WriteSuccessor,
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
  if (config.defaultProvider === "copilot")
    return refuse(context, config, request, { ...classification, reason: copilotUnavailable }, "copilot")
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
  const path = await store(context, config, memory, { ...request, below, titleGiven: texts.titleGiven })
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
  context: GovernedContext,
  { content, title, author, metadata }: ClearedTexts,
  classification: Classification,
  successor: WriteSuccessor | undefined,
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

/** Other writers wait for the name, the index and the audit; the disk takes the text before that and the name afterwards. */
async function store(
  context: GovernedContext,
  config: MemoryConfig,
  memory: ClearedMemory,
  { below, ...request }: WriteRequest & { below: string; titleGiven: boolean },
): Promise<string> {
  const { folder } = context
  const text = writeMemoryFile(memory)
  const freeName = () => {
    const short = `${below}/${memoryFileName(memory)}`
    return existsSync(join(folder.path, short)) ? `${below}/${memory.id}.md` : short
  }
  requireTeamFolder(folder)
  const file = prepareFile(dirname(requireInRepository(folder, freeName())), text)
  try {
    const { path, waitForName } = await withStore(folder, () => {
      const name = freeName()
      const waitForName = file.place(requireInRepository(folder, name))
      const path = `${folder.name}/${name}`
      recordWrite(context, config, memory, { ...request, name, path, text })
      return { path, waitForName }
    })
    waitForName()
    return path
  } catch (error) {
    file.discard()
    throw error
  }
}

function recordWrite(
  context: GovernedContext,
  config: MemoryConfig,
  memory: ClearedMemory,
  written: { name: string; path: string; text: Cleared; titleGiven: boolean; author?: string | undefined },
): void {
  const { folder } = context
  const { name, path, text, titleGiven } = written
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
    ...auditNames({ title: memory.title, path, titleGiven }, "Stored governed memory"),
    reason: "Content is allowed for governed local memory",
    actor: written.author,
    provider: "local",
  })
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

export type WriteRequest = {
  content: string
  title?: string | undefined
  /** False if the title was derived from the content, so that it stays out of the audit. Default: true. */
  titleGiven?: boolean | undefined
  author?: string | undefined
  class?: string | undefined
  /** The user approved writing to an external memory. */
  approved?: boolean | undefined
  loadGuidance?: string | undefined
  metadata?: Record<string, string> | undefined
}

/** The outcome of a write in Squad's format. */
export type WriteResult =
  | { stored: true; id: string; classification: Classification; path: string }
  | { stored: false; classification: Classification }

/** What a promotion takes over from the memory it replaces. */
type WriteSuccessor = { of: string; createdAt: string }

/** Longer texts are documents: they belong in files and would not fit into a context. */
const mostBytes = 64 * 1024

export function requireContent({ content, title = "", author = "", metadata = {}, details = "" }: LongRequest): void {
  if (content.trim() === "") throw new DreyError("A memory needs some text")
  const texts = [content, title, author, details, ...Object.entries(metadata).flat()]
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes > mostBytes)
    throw new DreyError(`Not stored: the memory has ${Math.ceil(bytes / 1024)} KB, more than the limit of 64 KB`, {
      hint: "Store the conclusion, and keep the long text in a file that it refers to.",
      exitCode: exitCode.no,
    })
}

type LongRequest = WriteRequest & { details?: string | undefined }

export type ClearedTexts = {
  kind: "cleared"
  content: Cleared
  title: Cleared
  titleGiven: boolean
  author: Cleared
  metadata: Record<string, string>
}

/** Checks the texts of a request against governance and redacts personal data in each. */
export function clearRequest(
  request: WriteRequest,
  personalData: PersonalDataPolicy,
): ClearedTexts | { kind: "refused"; reason: string } {
  let reason: string | undefined
  const clear = (text: string): Cleared => {
    const clearing = clearText(text, personalData)
    if (clearing.kind === "cleared") return clearing.text
    reason ??= clearing.reason
    return "" as Cleared
  }
  const content = clear(request.content.trim())
  const given = request.title?.trim() ?? ""
  const title = clear(given || firstLine(content))
  const titleGiven = given !== "" && request.titleGiven !== false
  const author = clear(request.author?.trim() || "unknown")
  const metadata = Object.fromEntries(
    Object.entries(request.metadata ?? {}).map(([key, value]) => [clear(key), clear(String(value))]),
  )
  if (reason !== undefined) return { kind: "refused", reason }
  return { kind: "cleared", content, title, titleGiven, author, metadata }
}

/** Audits a rejection, without title or content. */
export async function refuse(
  context: GovernedContext,
  config: MemoryConfig,
  request: WriteRequest,
  classification: Classification,
  provider?: string,
): Promise<WriteResult> {
  const { class: memoryClass, reason } = classification
  await withStore(context.folder, () =>
    audit(context, config, {
      action: "reject",
      class: memoryClass,
      title: "Rejected governed memory",
      reason,
      actor: request.author,
      ...(provider === undefined ? {} : { provider }),
    }),
  )
  return { stored: false, classification: { ...classification, allowed: false } }
}

/** External memory fails closed: it must be enabled, approved if approval is required, and have a client. */
async function writeExternally(
  context: GovernedContext,
  config: MemoryConfig,
  request: WriteRequest,
  texts: ClearedTexts & { classification: Classification },
  successor: WriteSuccessor | undefined,
): Promise<WriteResult> {
  const { content, title, titleGiven, author, metadata, classification } = texts
  const refuseFor = (reason: string) => refuse(context, config, request, { ...classification, reason }, adapterName)
  if (!config.adapter.enabled) return refuseFor(adapterDisabled)
  if (config.adapter.requireApproval && request.approved !== true) return refuseFor(approvalRequired)
  if (!context.client) return refuseFor(adapterWithoutClient)
  let written: { id: string; path?: string }
  try {
    written = await context.client.write({ content, title, author, metadata, classification })
  } catch (error) {
    const reason = providerFailure(adapterName, "write", error)
    await withStore(context.folder, () => auditFailure(context, config, classification.class, reason, adapterName))
    return { stored: false, classification: { ...classification, allowed: false, reason } }
  }
  const path = written.path ?? `host-injected-copilot-adapter:${written.id}`
  const now = context.now().toISOString()
  await withStore(context.folder, () => {
    const record: IndexRecord = {
      id: written.id,
      class: classification.class,
      loadGuidance: classification.loadGuidance,
      title,
      path,
      status: "active",
      ...(successor === undefined ? {} : { supersedes: successor.of }),
      createdAt: successor?.createdAt ?? now,
      updatedAt: now,
    }
    addRecord(context, record)
    audit(context, config, {
      action: "write",
      id: written.id,
      class: classification.class,
      ...auditNames({ title, path, titleGiven }, "Stored governed memory"),
      reason: classification.reason,
      actor: request.author,
      provider: adapterName,
    })
  })
  return { stored: true, id: written.id, classification, path }
}

/** Sends copies to the registered providers. A failure is audited; the memory is stored anyway. */
async function replicate(
  context: GovernedContext,
  config: MemoryConfig,
  memory: ClearedMemory,
  classification: Classification,
  request: WriteRequest & { titleGiven: boolean },
): Promise<void> {
  const copies: Record<string, string> = {}
  for (const provider of context.providers.filter(({ supportedClasses }) => supportedClasses.includes(memory.class))) {
    const { content, title, author, metadata } = memory
    try {
      const copy = await provider.write({ content, title, author, metadata, classification })
      copies[provider.id] = copy.id
      await withStore(context.folder, () =>
        audit(context, config, {
          action: "write",
          id: copy.id,
          class: memory.class,
          title: auditTitle(request.titleGiven ? title : undefined, "Stored governed memory"),
          reason: `Replicated to ${provider.name} provider`,
          actor: request.author,
        }),
      )
    } catch (error) {
      const reason = providerFailure(provider.name, "write", error)
      await withStore(context.folder, () => auditFailure(context, config, memory.class, reason, provider.id))
    }
  }
  if (Object.keys(copies).length === 0) return
  await withStore(context.folder, () => {
    const records = openIndex(context.store, context.folder, context.now(), context.warn)
    writeIndex(
      context.folder,
      records.map((record) => (record.id === memory.id ? { ...record, copies } : record)),
    )
  })
}

export function auditFailure(
  context: GovernedContext,
  config: MemoryConfig,
  memoryClass: string,
  reason: string,
  provider: string,
): void {
  audit(context, config, { action: "provider-error", class: memoryClass, reason, provider })
}
