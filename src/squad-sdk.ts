import { randomUUID } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Command } from "commander"
import { memoryCommand } from "./cli/commands/memory.ts"
import { dreyHome } from "./config.ts"
import { makeFolder, removeFileDurable, writeFileAtomic } from "./disk/atomic-write.ts"
import { requireInRepository } from "./disk/safe-paths.ts"
import { DreyError } from "./errors.ts"
import { removeInvisible } from "./formats/text.ts"
import type { AuditRecord } from "./governance/audit.ts"
import type { Classification, LoadGuidance, MemoryClass } from "./governance/classify.ts"
import { generated } from "./governance/cleared.ts"
import { withStore } from "./team/change.ts"
import { type DefaultProvider, defaultMemoryConfigText } from "./team/governed/governed-context.ts"
import { type GovernedMemory, governedMemory, type ProviderStatus } from "./team/governed/governed-memory.ts"
import type { SearchResult } from "./team/governed/governed-search.ts"
import type { WriteResult } from "./team/governed/governed-write.ts"
import { readIndexFile } from "./team/governed/memory-index.ts"
import {
  adapterWithoutClient,
  copilotUnavailable,
  InMemoryProvider,
  type MemoryProvider,
  type ProviderHit,
} from "./team/governed/providers.ts"
import type { StoreFolder } from "./team/team-folder.ts"

// The public names of "drey/squad-sdk": a program written against Squad's memory SDK runs on Drey by changing one import.
// Classes, because Squad's programs use `new`; all of them are thin.

export type MemoryWriteRequest = {
  content: string
  title?: string
  author?: string
  requestedClass?: string
  approved?: boolean
  metadata?: Record<string, string>
}

export type LocalMemoryStoreOptions = {
  /** `squad` when the folder given is the team folder itself. */
  rootKind?: "project" | "squad"
  hostInjectedCopilotAdapterClient?: CopilotMemoryProviderClient
  copilotMemoryClient?: CopilotMemoryProviderClient
  registeredProviders?: MemoryProvider[]
}

/** `.squad/memory/config.json`. */
export type MemoryGovernanceConfig = {
  version: 1
  defaultProvider: DefaultProvider
  promptOnlyFallback: true
  externalProviders: { hostInjectedCopilotAdapter: { enabled: boolean; requireApproval: boolean } }
  policy: {
    rejectForbidden: true
    rejectTransientDurableWrites: true
    auditContent: false
    auditMaxBytes: number
    auditMaxArchives: number
  }
}

/** The input of a provider; Drey passes only what governance has checked. */
export type CopilotMemoryProviderWriteRequest = {
  content: string
  title: string
  author?: string
  metadata?: Record<string, string>
  classification: Classification
}
export type CopilotMemoryProviderWriteResult = { id: string; path?: string }
export type MemoryProviderSearchResult = Awaited<ReturnType<MemoryProvider["search"]>>[number]
export type MemoryProviderStatus = Awaited<ReturnType<MemoryProvider["status"]>>
export type CopilotMemoryProviderClient = {
  write(request: CopilotMemoryProviderWriteRequest): Promise<CopilotMemoryProviderWriteResult>
  search(query: string): Promise<ProviderHit[]>
  delete(id: string): Promise<boolean>
}

export type {
  AuditRecord as MemoryAuditRecord,
  Classification as MemoryClassification,
  LoadGuidance as MemoryLoadGuidance,
  MemoryClass,
  MemoryProvider,
  ProviderHit as CopilotMemoryProviderSearchResult,
  SearchResult as MemorySearchResult,
  WriteResult as MemoryWriteResult,
}

export { copilotUnavailable as REAL_COPILOT_UNAVAILABLE_REASON }

/** The client that a host program passes in, or an error if there is none. */
export class HostInjectedCopilotMemoryAdapter {
  private readonly client: CopilotMemoryProviderClient | undefined

  constructor(client?: CopilotMemoryProviderClient) {
    this.client = client
  }

  isAvailable(): boolean {
    return this.client !== undefined
  }

  async write(request: CopilotMemoryProviderWriteRequest): Promise<CopilotMemoryProviderWriteResult> {
    return this.requireClient().write(request)
  }

  async search(query: string): Promise<ProviderHit[]> {
    return this.requireClient().search(query)
  }

  async delete(id: string): Promise<boolean> {
    return this.requireClient().delete(id)
  }

  private requireClient(): CopilotMemoryProviderClient {
    if (!this.client) throw new DreyError(adapterWithoutClient)
    return this.client
  }
}

/** Squad's name for the governed memory of one repository. Of the storage handed in only `delete` is used: Drey's own writes are durable. */
export class LocalMemoryStore {
  private readonly folder: StoreFolder
  private readonly memory: GovernedMemory

  constructor(
    storage: Partial<Pick<FSStorageProvider, "delete">> | undefined,
    root: string,
    options: LocalMemoryStoreOptions = {},
  ) {
    const place = resolve(root)
    const path = options.rootKind === "squad" ? place : join(place, ".squad")
    this.folder = { name: ".squad", path, home: dreyHome(process.env) }
    this.memory = governedMemory({
      store: { root: dirname(path), home: this.folder.home, folders: [this.folder] },
      folder: this.folder,
      now: () => new Date(),
      makeId: randomUUID,
      providers: options.registeredProviders ?? [],
      client: options.hostInjectedCopilotAdapterClient ?? options.copilotMemoryClient,
      removeFile: (path) => (storage?.delete ? storage.delete(path) : removeFileDurable(path)),
      warn: (message) => process.stderr.write(`drey: ${removeInvisible(message)}\n`),
    })
  }

  async classify(
    request: Pick<MemoryWriteRequest, "content" | "requestedClass" | "metadata">,
    options: { audit?: boolean; actor?: string; title?: string } = {},
  ): Promise<Classification> {
    const { content, requestedClass, metadata } = request
    if (options.audit) await scaffold(this.folder)
    return this.memory.classify(
      { content, class: requestedClass, metadata, title: options.title },
      { audit: options.audit === true, actor: options.actor },
    )
  }

  async write({ requestedClass, ...request }: MemoryWriteRequest): Promise<WriteResult> {
    await this.ready()
    return this.memory.write({ ...request, class: requestedClass })
  }

  async search(query: string): Promise<SearchResult[]> {
    await this.ready()
    return this.memory.search(query)
  }

  async promote(id: string, targetClass: string, actor?: string): Promise<WriteResult> {
    await this.ready()
    return this.memory.promote(id, targetClass, actor)
  }

  async delete(id: string, actor?: string): Promise<boolean> {
    await this.ready()
    return this.memory.delete(id, actor)
  }

  async auditLog(): Promise<AuditRecord[]> {
    await scaffold(this.folder)
    return this.memory.audit()
  }

  async providerStatus(): Promise<ProviderStatus> {
    await scaffold(this.folder)
    return this.memory.providerStatus()
  }

  async configureHostInjectedCopilotAdapter(options: AdapterChange): Promise<MemoryGovernanceConfig> {
    await scaffold(this.folder)
    return (await this.memory.configureProvider(options)) as MemoryGovernanceConfig
  }

  async configureCopilotProvider(options: AdapterChange & { adapter?: string }): Promise<MemoryGovernanceConfig> {
    const { adapter: _, ...change } = options
    return this.configureHostInjectedCopilotAdapter(change)
  }

  /** Squad's programs expect an error for a corrupt index. It has been rebuilt by then: the next call succeeds. */
  private async ready(): Promise<void> {
    await scaffold(this.folder)
    if (readIndexFile(this.folder).kind !== "corrupt") return
    await this.memory.reindex()
    throw new DreyError("Memory index is corrupt: it was copied to index.json.corrupt and rebuilt. Try again.")
  }
}

type AdapterChange = { enabled: boolean; requireApproval?: boolean; defaultProvider?: DefaultProvider; actor?: string }

/** Creates missing folders and files of governed memory, and returns which ones. */
export async function ensureMemoryGovernanceDefaults(_storage: unknown, projectRoot: string): Promise<string[]> {
  return scaffold({ name: ".squad", path: join(resolve(projectRoot), ".squad"), home: dreyHome(process.env) })
}

/** Runs one `squad memory` command line in this process; the result goes to `console.log`, diagnostics to `console.error`. */
export async function runMemoryCommand(root: string, args: string[]): Promise<void> {
  await ensureMemoryGovernanceDefaults(undefined, root)
  const face = { print: console.log, tell: console.error, end: () => {} }
  const program = new Command().enablePositionalOptions().addCommand(memoryCommand(face)).exitOverride()
  const [name, ...rest] = args
  await program.parseAsync(["memory", ...(name === undefined ? [] : [name]), "--root", root, ...rest], { from: "user" })
}

async function scaffold(folder: StoreFolder): Promise<string[]> {
  const below = (name: string) => requireInRepository(folder, join("memory", name))
  const folders = ["local", "policy-inbox", "semantic-inbox", "tombstones"]
  const files = [
    { name: "config.json", text: defaultMemoryConfigText },
    { name: "index.json", text: generated("[]\n") },
    { name: "audit.jsonl", text: generated("") },
  ]
  const isMissing = (name: string) => !existsSync(below(name))
  if (![...folders, ...files.map(({ name }) => name)].some(isMissing)) return []
  makeFolder(folder.path)
  return withStore(folder, () => {
    const made = [...folders.filter(isMissing), ...files.map(({ name }) => name).filter(isMissing)]
    for (const name of folders) makeFolder(below(name))
    for (const { name, text } of files) if (isMissing(name)) writeFileAtomic(below(name), text)
    return made.map((name) => join(".squad", "memory", name))
  })
}

/** Squad's plain file storage, for programs that create one and pass it on. */
export class FSStorageProvider {
  async read(path: string): Promise<string | undefined> {
    return existsSync(path) ? readFile(path, "utf8") : undefined
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }

  async append(path: string, text: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true })
    await appendFile(path, text)
  }

  async exists(path: string): Promise<boolean> {
    return existsSync(path)
  }

  async mkdir(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    await mkdir(path, options)
  }

  async list(path: string): Promise<string[]> {
    return existsSync(path) ? readdir(path) : []
  }

  async delete(path: string): Promise<void> {
    await rm(path, { force: true })
  }

  async rename(from: string, to: string): Promise<void> {
    await rename(from, to)
  }

  async stat(path: string): Promise<{ size: number; isDirectory: boolean; mtimeMs: number } | undefined> {
    if (!existsSync(path)) return undefined
    const { size, mtimeMs } = await stat(path)
    return { size, mtimeMs, isDirectory: statSync(path).isDirectory() }
  }
}

/** Keeps memories at named places: `metadata.locus`. */
export class MemPalaceMemoryProvider extends InMemoryProvider {
  constructor(maxEntries = 500) {
    super("mempalace", "MemPalace", maxEntries, ({ metadata }) => metadata?.locus ?? "default")
  }
}

/** Keeps memories by topic: `metadata.topic`, otherwise the class. */
export class IndexServerMemoryProvider extends InMemoryProvider {
  constructor(maxEntries = 500) {
    super(
      "indexserver",
      "IndexServer",
      maxEntries,
      ({ metadata, classification }) => metadata?.topic ?? classification.class,
    )
  }
}
