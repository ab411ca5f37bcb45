import { join } from "node:path"
import { codeOf } from "../../disk/file-error.ts"
import { makeHomeFolder } from "../../disk/home-files.ts"
import { withLock } from "../../disk/lock.ts"
import { type AuditPlace, appendAudit, readAudit } from "../../governance/audit.ts"
import type { AuditRecord } from "../../governance/audit-chain.ts"
import { isForbidden } from "../../governance/classify.ts"
import { clearText } from "../../governance/cleared.ts"
import type { Store, StoreFolder } from "../find-store.ts"
import { stateFolder, statesOf } from "../state-folder.ts"
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

/** An audit record as operations give it: the time is added, and the actor checked. */
type NewRecord = Omit<AuditRecord, "timestamp" | "actor"> & { actor?: string | undefined }

/** Writes an audit line. Call it under the store's lock. */
export function audit(context: MemoryContext, config: MemoryConfig, record: NewRecord): void {
  appendAudit(auditPlaceOf(context.folder, config), dated(context, record))
}

/**
 * Audits a search or a read. These lines are not the team's: they are in Drey's home, so that reading changes no file that git tracks, and
 * a checkout that cannot be written is audited too.
 */
export async function auditReads(context: MemoryContext, records: readonly NewRecord[]): Promise<void> {
  const { auditMaxBytes: maxBytes, auditMaxArchives: maxArchives } = settingsOf(context)
  const folder = readsFolder(context.folder)
  try {
    makeHomeFolder(folder)
    const append = () => {
      for (const record of records)
        appendAudit({ storeFolder: folder, state: folder, maxBytes, maxArchives }, dated(context, record))
    }
    await withLock(join(folder, "lock"), append)
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(codeOf(error) ?? codeOf((error as Error).cause) ?? "")) throw error
    context.warn(`${context.folder.home} cannot be written, so this was not audited`) // a question is answered all the same
  }
}

/** Where the audit of searches and reads in a team folder is; it needs no lock file in the folder, which a read may not make. */
export function readsFolder(folder: StoreFolder): string {
  return join(statesOf(folder), "reads")
}

function dated(context: MemoryContext, { actor, ...record }: NewRecord): AuditRecord {
  const timestamp = context.now().toISOString()
  return { timestamp, ...record, ...(actor === undefined ? {} : { actor: auditTitle(actor, "unknown") }) }
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
