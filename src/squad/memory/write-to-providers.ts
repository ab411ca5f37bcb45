import type { Classification } from "../../governance/classify.ts"
import { withStore } from "../change.ts"
import type { ClearedMemory } from "./entry-file.ts"
import { addRecord, openIndex } from "./load-index.ts"
import type { MemoryConfig } from "./memory-config.ts"
import { audit, auditNames, auditTitle, type MemoryContext } from "./memory-context.ts"
import { type IndexRecord, writeIndex } from "./memory-index.ts"
import {
  adapterDisabled,
  adapterName,
  adapterWithoutClient,
  approvalRequired,
  copilotUnavailable,
  providerFailure,
} from "./providers.ts"
import { type ClearedTexts, refuse, type Successor, type WriteRequest, type WriteResult } from "./write-request.ts"

/** External memory fails closed: it must be enabled, approved if approval is required, and have a client. */
export async function writeExternally(
  context: MemoryContext,
  config: MemoryConfig,
  request: WriteRequest,
  texts: ClearedTexts & { classification: Classification },
  successor: Successor | undefined,
): Promise<WriteResult> {
  const { content, title, titleGiven, author, metadata, classification } = texts
  const refuseFor = (reason: string, provider = adapterName) =>
    refuse(context, config, request, { ...classification, reason }, provider)
  if (config.defaultProvider === "copilot") return refuseFor(copilotUnavailable, "copilot")
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
export async function replicate(
  context: MemoryContext,
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
  context: MemoryContext,
  config: MemoryConfig,
  memoryClass: string,
  reason: string,
  provider: string,
): void {
  audit(context, config, { action: "provider-error", class: memoryClass, reason, provider })
}
