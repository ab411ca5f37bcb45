import { existsSync } from "node:fs"
import { join } from "node:path"
import { isRecord, parseJson } from "../../disk/parse-json.ts"
import { readTextFile, settingsBytes } from "../../disk/read-text-file.ts"
import { requireInRepository } from "../../disk/safe-paths.ts"
import { writeFileAtomic } from "../../disk/write-file-atomic.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { generated, type PersonalDataPolicy } from "../../governance/cleared.ts"
import type { StoreFolder } from "../find-store.ts"

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
