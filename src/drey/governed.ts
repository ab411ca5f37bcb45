import type { AuditRecord } from "../governance/audit.ts"
import type { AuditVerification } from "../governance/audit-verification.ts"
import type { Classification } from "../governance/classify.ts"
import type { GovernedOptions, Project } from "../project.ts"
import type { AgentMemoryRequest, MemoryToSave, SaveOutcome } from "../team/governed/agent-history.ts"
import type { ProviderChange, ProviderStatus } from "../team/governed/governed-memory.ts"
import type { SearchFilters, SearchResult } from "../team/governed/governed-search.ts"
import type { WriteRequest, WriteResult } from "../team/governed/governed-write.ts"
import type { LogLevelRequest, LogLevelSetting } from "../team/governed/log-level.ts"
import type { IndexRecord } from "../team/governed/memory-index.ts"
import type { FullMemory } from "../team/governed/memory-reader.ts"
import type { StateFiles } from "../team/state-files.ts"
import { requireStore } from "../team/team-folder.ts"

/** Memory in the team folder with class, load guidance and audit; ids may be shortened to a unique prefix. */
export type Governed = {
  /** @example const { class: kind } = await drey.governed.classify({ content: "We use pnpm" }) */
  classify(request: WriteRequest, options?: { audit?: boolean; actor?: string | undefined }): Promise<Classification>
  /** @example const { id } = await drey.governed.write({ content: "We use pnpm", class: "DECISION" }) */
  write(request: WriteRequest): Promise<WriteResult>
  /**
   * Adds to the agent's history instead of the team's memory.
   * @example await drey.governed.writeForAgent("mal", { content: "The cache is cold in CI" })
   */
  writeForAgent(agent: string, request: AgentMemoryRequest): Promise<WriteResult>
  /**
   * Adds what an agent learned to the end of its history.
   * @example await drey.governed.saveForAgent("mal", "The cache is cold in CI")
   */
  saveForAgent(agent: string, memory: MemoryToSave): Promise<SaveOutcome>
  /** @example const hits = await drey.governed.search("pnpm") */
  search(text: string, filters?: SearchFilters): Promise<SearchResult[]>
  /** @example await drey.governed.promote("sem-1a2b", "POLICY") */
  promote(id: string, targetClass: string, actor?: string): Promise<WriteResult>
  /** @example await drey.governed.delete("sem-1a2b") */
  delete(id: string, actor?: string): Promise<boolean>
  /**
   * The team's writes, and searches and reads in this checkout, oldest first.
   * @example const records = await drey.governed.audit()
   */
  audit(options?: { since?: Date }): Promise<AuditRecord[]>
  /** @example const { problems } = await drey.governed.verifyAudit() */
  verifyAudit(): Promise<AuditVerification>
  /**
   * Accepts that git removed the last lines of this clone's chains, and returns the number of chains.
   * @example const chains = await drey.governed.repairAudit()
   */
  repairAudit(): Promise<number>
  /** @example const { defaultProvider } = await drey.governed.providerStatus() */
  providerStatus(): Promise<ProviderStatus>
  /** @example await drey.governed.configureProvider({ enabled: true }) */
  configureProvider(change: ProviderChange): Promise<Record<string, unknown>>
  /** @example const records = await drey.governed.list({ all: true }) */
  list(options?: { all?: boolean; class?: string | undefined }): Promise<IndexRecord[]>
  /**
   * Reads one memory whole; this checkout's audit records it.
   * @example const { content } = await drey.governed.read("sem-1a2b")
   */
  read(id: string): Promise<FullMemory>
  /** @example const { entries } = await drey.governed.reindex() */
  reindex(): Promise<{ entries: number; recovered: number }>
  /**
   * The files of the team folder by key, as Squad's agents read and write them.
   * @example const text = (await drey.governed.stateFiles()).read("decisions.md")
   */
  stateFiles(): Promise<StateFiles>
  /** @example const { level } = await drey.governed.logLevel({ flag: "info" }) */
  logLevel(request: LogLevelRequest): Promise<LogLevelSetting>
  /**
   * The same memory for another caller.
   * @example await drey.governed.as({ agent: "mal" }).write({ content: "We use pnpm" })
   */
  as(options: GovernedOptions): Governed
}

export function openGoverned(project: Project, options: GovernedOptions = {}): Governed {
  const memory = async () => {
    const { governedMemory } = await import("../team/governed/governed-memory.ts")
    requireStore(project.store())
    return project.ownWrites(governedMemory(project.governedContext(options)), ["write", "writeForAgent", "promote"])
  }
  return {
    classify: async (request, how) => (await memory()).classify(request, how),
    write: async (request) => (await memory()).write(request),
    writeForAgent: async (agent, request) => (await memory()).writeForAgent(agent, request),
    async saveForAgent(agent, memory) {
      const { saveMemory } = await import("../team/governed/agent-history.ts")
      requireStore(project.store())
      return saveMemory(project.governedContext(options), agent, memory)
    },
    async search(text, filters = {}) {
      const { searchTeam } = await import("../recall/search/combined-search.ts")
      return searchTeam(text, filters, await memory(), async (question) => {
        const { answer, trouble } = await (await project.recall()).ask(project.within(question))
        for (const { message } of trouble.unreadable) options.warn?.(`skipped ${message}`)
        return answer
      })
    },
    promote: async (id, targetClass, actor) => (await memory()).promote(id, targetClass, actor),
    delete: async (id, actor) => (await memory()).delete(id, actor),
    audit: async (since) => (await memory()).audit(since),
    verifyAudit: async () => (await memory()).verifyAudit(),
    repairAudit: async () => (await memory()).repairAudit(),
    providerStatus: async () => (await memory()).providerStatus(),
    configureProvider: async (change) => (await memory()).configureProvider(change),
    list: async (which) => (await memory()).list(which),
    async read(id) {
      const governed = await memory()
      const found = governed.read(id)
      await governed.noteReads([found.id], options.agent)
      return found
    },
    reindex: async () => (await memory()).reindex(),
    async stateFiles() {
      const { stateFiles } = await import("../team/state-files.ts")
      requireStore(project.store())
      return stateFiles(project.governedContext({ warn: project.warn, ...options }))
    },
    async logLevel(request) {
      const { resolveLogLevel } = await import("../team/governed/log-level.ts")
      return resolveLogLevel(request, project.environment, project.store().folders[0])
    },
    as: (other) => openGoverned(project, { ...options, ...other }),
  }
}
