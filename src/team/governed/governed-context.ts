import { existsSync } from "node:fs"
import { join } from "node:path"
import { writeFileAtomic } from "../../disk/atomic-write.ts"
import { makeHomeFolder } from "../../disk/home-files.ts"
import { parseJson } from "../../disk/json.ts"
import { withLock } from "../../disk/lock.ts"
import { requireInRepository } from "../../disk/safe-paths.ts"
import { codeOf, readTextFile, settingsBytes } from "../../disk/text-files.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { isRecord } from "../../formats/objects.ts"
import { type AuditPlace, type AuditRecord, appendAudit, readAudit } from "../../governance/audit.ts"
import { isForbidden } from "../../governance/classify.ts"
import { clearText, generated, type PersonalDataPolicy } from "../../governance/cleared.ts"
import { stateFolder, statesOf } from "../journal.ts"
import type { StoreFolder, TeamStore } from "../team-folder.ts"
import type { IndexRecord } from "./memory-index.ts"
import type { AdapterClient, MemoryProvider } from "./providers.ts"

/** What every operation on governed memory needs. */
export type GovernedContext = {
  store: TeamStore
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

export function settingsOf(context: GovernedContext): MemoryConfig {
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
export function audit(context: GovernedContext, config: MemoryConfig, record: NewRecord): void {
  appendAudit(auditPlaceOf(context.folder, config), dated(context, record))
}

/**
 * Audits a search or a read. These lines are in Drey's home, not in the team folder, so that reading changes no tracked file and works
 * in a read-only checkout.
 */
export async function auditReads(context: GovernedContext, records: readonly NewRecord[]): Promise<void> {
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

function dated(context: GovernedContext, { actor, ...record }: NewRecord): AuditRecord {
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

export type DefaultProvider = "local" | "hostInjectedCopilotAdapter" | "copilot"

/** The settings in `memory/config.json` that Drey uses. */
export type MemoryConfig = {
  defaultProvider: DefaultProvider
  adapter: { enabled: boolean; requireApproval: boolean }
  personalData: PersonalDataPolicy
  auditMaxBytes: number
  auditMaxArchives: number
}

/** The file that init writes, in Squad's format. */
export const defaultMemoryConfig = {
  version: 1,
  defaultProvider: "local",
  promptOnlyFallback: true,
  externalProviders: { hostInjectedCopilotAdapter: { enabled: false, requireApproval: true } },
  policy: {
    rejectForbidden: true,
    rejectTransientDurableWrites: true,
    auditContent: false,
    auditMaxBytes: 1_048_576,
    auditMaxArchives: 3,
  },
}

export const defaultMemoryConfigText = generated(`${JSON.stringify(defaultMemoryConfig, null, 2)}\n`)

/** The effective settings: the file's values over the defaults. An invalid file yields the defaults and a warning. */
export function readMemoryConfig(folder: StoreFolder): { config: MemoryConfig; warnings: string[] } {
  const warnings: string[] = []
  const file = readConfigFile(folder)
  if (file.kind === "unreadable") warnings.push(`${file.message}; the default settings are used`)
  const value = file.kind === "read" ? file.value : {}
  const policy = recordAt(value, "policy")
  const providers = recordAt(value, "externalProviders")
  const legacy = recordAt(providers, "copilotMemory")
  const adapter = { ...legacy, ...recordAt(providers, "hostInjectedCopilotAdapter") }
  if (policy.rejectForbidden === false) {
    warnings.push("policy.rejectForbidden is false; forbidden content is still rejected")
  }
  return {
    config: {
      defaultProvider: oneOf(value.defaultProvider, ["local", "hostInjectedCopilotAdapter", "copilot"], "local"),
      adapter: { enabled: adapter.enabled === true, requireApproval: adapter.requireApproval !== false },
      personalData: oneOf(policy.pii, ["redact", "reject", "allow"], "redact"),
      auditMaxBytes: numberOr(policy.auditMaxBytes, defaultMemoryConfig.policy.auditMaxBytes),
      auditMaxArchives: numberOr(policy.auditMaxArchives, defaultMemoryConfig.policy.auditMaxArchives),
    },
    warnings,
  }
}

/** Changes the adapter's settings and keeps all other keys. Call it under the team folder's lock. */
export function updateMemoryConfig(
  folder: StoreFolder,
  change: { enabled: boolean; requireApproval?: boolean; defaultProvider?: DefaultProvider },
): Record<string, unknown> {
  const file = readConfigFile(folder)
  if (file.kind === "unreadable") {
    throw new DreyError(`${file.message}; it was not changed`, { hint: "Fix the file first.", exitCode: exitCode.no })
  }
  const current = file.kind === "read" ? file.value : structuredClone(defaultMemoryConfig as Record<string, unknown>)
  const { config } = readMemoryConfig(folder)
  const providers = recordAt(current, "externalProviders")
  const next = {
    ...current,
    defaultProvider: change.defaultProvider ?? config.defaultProvider,
    externalProviders: {
      ...providers,
      hostInjectedCopilotAdapter: {
        ...recordAt(providers, "hostInjectedCopilotAdapter"),
        enabled: change.enabled,
        requireApproval: change.requireApproval ?? config.adapter.requireApproval,
      },
    },
  }
  writeFileAtomic(requireInRepository(folder, "memory/config.json"), generated(`${JSON.stringify(next, null, 2)}\n`))
  return next
}

type ConfigFile =
  | { kind: "absent" }
  | { kind: "read"; value: Record<string, unknown> }
  | { kind: "unreadable"; message: string }

function readConfigFile(folder: StoreFolder): ConfigFile {
  const path = configPath(folder)
  if (!existsSync(path)) return { kind: "absent" }
  try {
    const value = parseJson(readTextFile(path, { maxBytes: settingsBytes }).text, path)
    if (isRecord(value)) return { kind: "read", value }
    return { kind: "unreadable", message: `${path} is not a JSON object` }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { kind: "unreadable", message: error.message }
  }
}

function configPath(folder: StoreFolder): string {
  return join(folder.path, "memory", "config.json")
}

function recordAt(value: Record<string, unknown>, key: string): Record<string, unknown> {
  const found = value[key]
  return isRecord(found) ? found : {}
}

function oneOf<T extends string>(value: unknown, known: readonly T[], fallback: T): T {
  return known.find((name) => name === value) ?? fallback
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback
}
