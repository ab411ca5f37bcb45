import { DreyError, exitCode } from "../../errors.ts"
import { instantOf } from "../../formats/timestamp.ts"
import { type AuditRecord, forgetChainEnds, readAudit } from "../../governance/audit.ts"
import { type AuditVerification, verifyAudit } from "../../governance/audit-verification.ts"
import { type Classification, classify } from "../../governance/classify.ts"
import { withStore } from "../change.ts"
import { type AgentMemoryRequest, writeAgentMemory } from "./agent-history.ts"
import {
  audit,
  auditPlaceOf,
  auditReads,
  auditTitle,
  type DefaultProvider,
  type GovernedContext,
  readsFolder,
  settingsOf,
  updateMemoryConfig,
} from "./governed-context.ts"
import { type GovernedSearch, type SearchResult, searchGoverned, searchMemory } from "./governed-search.ts"
import { type WriteRequest, type WriteResult, writeMemory } from "./governed-write.ts"
import { deleteMemory, findRecord, notFound, promoteMemory } from "./lifecycle.ts"
import { type LoadOptions, loadIndex, openIndex } from "./load-index.ts"
import type { IndexRecord } from "./memory-index.ts"
import { type FullMemory, readMemoryOf } from "./memory-reader.ts"
import { adapterName, copilotUnavailable } from "./providers.ts"

export type ProviderStatus = {
  defaultProvider: DefaultProvider
  realCopilotMemory: { available: false; configured: boolean; reason: string }
  hostInjectedCopilotAdapter: {
    enabled: boolean
    requireApproval: boolean
    clientAvailable: boolean
    configured: boolean
  }
  registeredProviders: { id: string; name: string; available: boolean; reason?: string }[]
}

export type ProviderChange = {
  enabled: boolean
  requireApproval?: boolean
  defaultProvider?: DefaultProvider
  actor?: string | undefined
}

/** The team's governed memory: governance check, then files, index and audit. Ids may be shortened to a unique prefix. */
export type GovernedMemory = {
  /** Pass `audit: false` only if the caller records the outcome itself. */
  classify(request: WriteRequest, options?: { audit?: boolean; actor?: string | undefined }): Promise<Classification>
  write(request: WriteRequest): Promise<WriteResult>
  /** Writes to the agent's own history instead of the team's memory. */
  writeForAgent(agent: string, request: AgentMemoryRequest): Promise<WriteResult>
  /** Without an index; `searchWith` uses one. */
  search(text: string): Promise<SearchResult[]>
  /** Like `search`, with another search of the local items. */
  searchWith<Hit extends { id: string }>(text: string, findHere: () => Promise<Hit[]>): Promise<GovernedSearch<Hit>>
  promote(id: string, targetClass: string, actor?: string): Promise<WriteResult>
  delete(id: string, actor?: string): Promise<boolean>
  /** Writes by the team, and searches and reads in this checkout, oldest first. */
  audit(options?: { since?: Date }): AuditRecord[]
  verifyAudit(): AuditVerification
  /** Accepts that git removed the last lines of this clone's chains, and returns the number of chains. */
  repairAudit(): Promise<number>
  /** Records in the audit log that these ids were read. */
  noteReads(ids: readonly string[], actor: string | undefined): Promise<void>
  providerStatus(): Promise<ProviderStatus>
  configureProvider(change: ProviderChange): Promise<Record<string, unknown>>
  list(options?: { all?: boolean; class?: string | undefined }): IndexRecord[]
  read(id: string): FullMemory
  reindex(): Promise<{ entries: number; recovered: number }>
}

export function governedMemory(context: GovernedContext): GovernedMemory {
  const { folder, store, now } = context
  return {
    async classify(request, options = {}) {
      const classification = classify(request)
      if (options.audit === false) return classification
      const config = settingsOf(context)
      await withStore(folder, () =>
        audit(context, config, {
          action: "classify",
          class: classification.class,
          title: auditTitle(classification.allowed ? request.title : undefined, "Classified governed memory"),
          reason: classification.reason,
          actor: options.actor ?? request.author,
        }),
      )
      return classification
    },
    write: (request) => writeMemory(context, request),
    writeForAgent: (agent, request) => writeAgentMemory(context, agent, request),
    search: (text) => searchMemory(context, text),
    searchWith: (text, findHere) => searchGoverned(context, text, findHere),
    promote: (id, targetClass, actor) => promoteMemory(context, id, targetClass, actor),
    delete: (id, actor) => deleteMemory(context, id, actor),
    audit({ since } = {}) {
      const written = readAudit(folder.path)
      const read = readAudit(readsFolder(folder))
      for (const warning of written.warnings) context.warn(`${folder.name}/${warning}`)
      for (const warning of read.warnings) context.warn(`${readsFolder(folder)}/${warning}`)
      const instant = ({ timestamp }: AuditRecord) => instantOf(timestamp) || 0 // lines of other tools may lack a time
      const records = [...written.records, ...read.records].sort((one, other) => instant(one) - instant(other))
      return since === undefined ? records : records.filter(({ timestamp }) => instantOf(timestamp) >= since.getTime())
    },
    verifyAudit() {
      return verifyAudit(auditPlaceOf(folder, settingsOf(context)))
    },
    repairAudit: () =>
      withStore(folder, () => {
        const place = auditPlaceOf(folder, settingsOf(context))
        const { ok, removedEnds } = verifyAudit(place)
        if (ok) forgetChainEnds(place.state, removedEnds)
        return ok ? removedEnds.length : 0
      }),
    noteReads: (ids, actor) =>
      auditReads(
        context,
        ids.map((id) => ({ action: "read", id, reason: "Read one item whole", actor })),
      ),
    providerStatus: () => providerStatus(context),
    async configureProvider({ actor, ...change }) {
      if (change.defaultProvider === "copilot") throw new DreyError(copilotUnavailable, { exitCode: exitCode.no })
      return withStore(folder, () => {
        const written = updateMemoryConfig(folder, change)
        audit(context, settingsOf(context), {
          action: "configure",
          reason: change.enabled
            ? "Configured hostInjectedCopilotAdapter; this is not real provider=copilot persistence"
            : "Disabled hostInjectedCopilotAdapter",
          actor,
          provider: adapterName,
        })
        return written
      })
    },
    list({ all = false, class: wanted } = {}) {
      const { records } = loadIndex(store, folder, now())
      const byClass = wanted?.trim().toUpperCase()
      return records.filter(
        (record) => (all || record.status === "active") && (byClass === undefined || record.class === byClass),
      )
    },
    read(id) {
      const find = (options?: LoadOptions) =>
        findRecord(id, loadIndex(store, folder, now(), options).records, ({ status }) => status !== "deleted")
      const record = find() ?? find({ thorough: true })
      const memory = record && readMemoryOf(context, record)
      if (!memory) throw notFound(id, loadIndex(store, folder, now()).records)
      return memory
    },
    async reindex() {
      return withStore(folder, () => {
        const { added } = loadIndex(store, folder, now(), { thorough: true })
        const records = openIndex(store, folder, now(), context.warn, { thorough: true })
        return { entries: records.length, recovered: added }
      })
    },
  }
}

async function providerStatus(context: GovernedContext): Promise<ProviderStatus> {
  const { defaultProvider, adapter } = settingsOf(context)
  return {
    defaultProvider,
    realCopilotMemory: { available: false, configured: defaultProvider === "copilot", reason: copilotUnavailable },
    hostInjectedCopilotAdapter: {
      ...adapter,
      clientAvailable: context.client !== undefined,
      configured: adapter.enabled,
    },
    registeredProviders: await Promise.all(context.providers.map((provider) => provider.status())),
  }
}
