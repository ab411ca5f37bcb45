import { type AuditPlace, appendAudit, readAudit } from "../../governance/audit.ts"
import type { AuditRecord } from "../../governance/audit-chain.ts"
import { isForbidden } from "../../governance/classify.ts"
import { clearText } from "../../governance/cleared.ts"
import type { Store, StoreFolder } from "../find-store.ts"
import { stateFolder } from "../state-folder.ts"
import { type MemoryConfig, readMemoryConfig } from "./memory-config.ts"
import type { IndexRecord } from "./memory-index.ts"
import type { AdapterClient, MemoryProvider } from "./providers.ts"

/** What every operation of governed memory works with. */
export type MemoryContext = {
  store: Store
  folder: StoreFolder
  now: () => Date
  makeId: () => string
  providers: readonly MemoryProvider[]
  client: AdapterClient | undefined
  /** The coding agent that calls; undefined for a person. What it states as a rule waits for a person. */
  agent?: string | undefined
  /** Takes a memory's own file away. */
  removeFile: (path: string) => void | Promise<void>
  /** A sentence for the person, which is no part of any result. */
  warn: (message: string) => void
}

export function settingsOf(context: MemoryContext): MemoryConfig {
  const { config, warnings } = readMemoryConfig(context.folder)
  for (const warning of warnings) context.warn(warning)
  return config
}

export function auditPlaceOf(folder: StoreFolder, config: MemoryConfig): AuditPlace {
  const { auditMaxBytes: maxBytes, auditMaxArchives: maxArchives } = config
  return { storeFolder: folder.path, state: stateFolder(folder), maxBytes, maxArchives }
}

/** Writes an audit line. Call it under the store's lock. */
export function audit(
  context: MemoryContext,
  config: MemoryConfig,
  record: Omit<AuditRecord, "timestamp" | "actor"> & { actor?: string | undefined },
): void {
  const { actor, ...rest } = record
  appendAudit(auditPlaceOf(context.folder, config), {
    timestamp: context.now().toISOString(),
    ...rest,
    ...(actor === undefined ? {} : { actor: auditTitle(actor, "unknown") }),
  })
}

/** A title as the audit may hold it: one that the caller gave and that passed the gate, else a placeholder. */
export function auditTitle(given: string | undefined, placeholder: string): string {
  const title = given?.trim().slice(0, 80)
  if (!title || isForbidden(title)) return placeholder
  const cleared = clearText(title)
  return cleared.kind === "cleared" ? cleared.text : placeholder
}

/** The title and path of a stored memory for the audit. A title made of the content, and the path made of it, stay out. */
export function auditNames(
  memory: { title: string; path: string; titleGiven: boolean },
  placeholder: string,
): { title: string; path?: string } {
  if (!memory.titleGiven) return { title: placeholder }
  return { title: auditTitle(memory.title, placeholder), path: memory.path }
}

/** Whether the title of a stored memory is known to be the caller's: then the audit holds it since it was written. */
export function isTitleGiven(folder: StoreFolder, { id, title }: IndexRecord): boolean {
  const shown = title.trim().slice(0, 80)
  return readAudit(folder.path).records.some(
    (record) => record.action === "write" && record.id === id && record.title === shown,
  )
}
