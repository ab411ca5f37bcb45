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

/** What every operation on governed memory needs. */
export type MemoryContext = {
  store: Store
  folder: StoreFolder
  now: () => Date
  makeId: () => string
  providers: readonly MemoryProvider[]
  client: AdapterClient | undefined
  /** The calling coding agent; undefined for a user. An agent's rules need review by the user. */
  agent?: string | undefined
  /** Deletes a memory's own file. */
  removeFile: (path: string) => void | Promise<void>
  /** Shows a warning to the user, outside of the result. */
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

/** An audit record before its time is added and its actor checked. */
type NewRecord = Omit<AuditRecord, "timestamp" | "actor"> & { actor?: string | undefined }

/** Writes an audit line. Call it under the team folder's lock. */
export function audit(context: MemoryContext, config: MemoryConfig, record: NewRecord): void {
  appendAudit(auditPlaceOf(context.folder, config), dated(context, record))
}

/**
 * Audits a search or a read. These lines are in Drey's home, not in the team folder, so that reading changes no tracked file and works
 * in a read-only checkout.
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
    context.warn(`${context.folder.home} cannot be written, so this was not audited`) // the search still succeeds
  }
}

/** The folder for the audit of searches and reads. It has its own lock, because a read must not create one in the team folder. */
export function readsFolder(folder: StoreFolder): string {
  return join(statesOf(folder), "reads")
}

function dated(context: MemoryContext, { actor, ...record }: NewRecord): AuditRecord {
  const timestamp = context.now().toISOString()
  return { timestamp, ...record, ...(actor === undefined ? {} : { actor: auditTitle(actor, "unknown") }) }
}

/** The title for the audit: the caller's, if it passes the governance check, else a placeholder. */
export function auditTitle(given: string | undefined, placeholder: string): string {
  const title = given?.trim().slice(0, 80)
  if (!title || isForbidden(title)) return placeholder
  const cleared = clearText(title)
  return cleared.kind === "cleared" ? cleared.text : placeholder
}

/** The title and path of a stored memory for the audit, without a title derived from the content or a path derived from that title. */
export function auditNames(
  memory: { title: string; path: string; titleGiven: boolean },
  placeholder: string,
): { title: string; path?: string } {
  if (!memory.titleGiven) return { title: placeholder }
  return { title: auditTitle(memory.title, placeholder), path: memory.path }
}

/** Whether the caller gave the memory's title: only then does the audit contain it. */
export function isTitleGiven(folder: StoreFolder, { id, title }: IndexRecord): boolean {
  const shown = title.trim().slice(0, 80)
  return readAudit(folder.path).records.some(
    (record) => record.action === "write" && record.id === id && record.title === shown,
  )
}
