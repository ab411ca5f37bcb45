import type { Command } from "commander"
import { DreyError, exitCode } from "../../errors.ts"
import { omitUndefined } from "../../formats/objects.ts"
import { parseCount, parseSince } from "../option-values.ts"
import {
  type MemoryCommandOptions,
  type MemoryOutput,
  memorySubcommand,
  readBoolean,
  runMemory,
} from "./memory-output.ts"

type OptionsAudit = MemoryCommandOptions & { verify?: boolean; since?: string; limit?: string }

export function memoryAuditCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "audit",
    "Show the audit log of governed memory, or verify that it was not changed.",
    "drey memory audit --since 7d\ndrey memory audit --verify",
  )
    .option("--verify", "verify the hash chains; exit code 1 when a line was edited, removed or inserted")
    .option("--since <time>", "since this date or time, or within the last 24h, 7d, 2w or 3m")
    .option("-n, --limit <number>", "only the newest")
    .action((options: OptionsAudit) =>
      runMemory(face, "audit", options, async (memory, log) => {
        if (options.verify) {
          const verification = await memory.verifyAudit()
          log("info", "audit.complete", { ok: verification.ok, count: verification.lines })
          return { document: verification, code: verification.ok ? exitCode.done : exitCode.no }
        }
        const records = await memory.audit(options.since === undefined ? {} : { since: parseSince(options.since) })
        const most = options.limit === undefined ? records.length : parseCount(options.limit, "lines", 1, 1_000_000)
        const shown = most === 0 ? records : records.slice(-most)
        log("info", "audit.complete", { count: shown.length })
        return { document: shown }
      }),
    )
}

type OptionsProvider = MemoryCommandOptions & {
  enableHostInjectedCopilotAdapter?: boolean
  enableCopilot?: boolean
  disableHostInjectedCopilotAdapter?: boolean
  disableCopilot?: boolean
  defaultHostInjectedCopilotAdapter?: boolean
  defaultCopilot?: boolean
  provider?: string
  requireApproval?: string
  actor?: string
}

export function memoryProviderCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "provider",
    "Show or change the memory providers outside the repository.",
    "drey memory provider\ndrey memory provider --enable-host-injected-copilot-adapter --require-approval true",
  )
    .aliases(["providers", "status"])
    .option(
      "--enable-host-injected-copilot-adapter",
      "allow a client supplied by the host program to store COPILOT_MEMORY",
    )
    .option("--enable-copilot", "the same")
    .option("--disable-host-injected-copilot-adapter", "turn it off")
    .option("--disable-copilot", "the same")
    .option("--default-host-injected-copilot-adapter", "turn it on and make it the default")
    .option("--default-copilot", "refused: there is no such API")
    .option("--provider <name>", "local or hostInjectedCopilotAdapter as the default")
    .option("--require-approval <boolean>", "whether each write to it needs --approved")
    .option("--actor <name>", "who changes it, for the audit log")
    .action((options: OptionsProvider) =>
      runMemory(face, "provider", options, async (memory, log) => {
        const before = await memory.providerStatus()
        const change = readChange(options, before.hostInjectedCopilotAdapter.enabled)
        if (change) {
          log("info", "provider.configure.request", { enabled: change.enabled })
          await memory.configureProvider(change)
          log("info", "provider.configure.complete", { enabled: change.enabled })
        }
        const status = change ? await memory.providerStatus() : before
        log("info", "provider.status.complete", { defaultProvider: status.defaultProvider })
        return { document: status }
      }),
    )
}

const providers = ["local", "hostInjectedCopilotAdapter", "copilot"] as const

function readChange(options: OptionsProvider, wasEnabled: boolean) {
  const isDefault = options.defaultHostInjectedCopilotAdapter === true
  const named = options.defaultCopilot ? "copilot" : options.provider
  const wanted = named === undefined ? undefined : providers.find((name) => name.toLowerCase() === named.toLowerCase())
  if (named !== undefined && wanted === undefined) throw new DreyError(`Unknown memory provider: ${named}`)
  const defaultProvider = isDefault ? providers[1] : wanted
  const requireApproval = options.requireApproval === undefined ? undefined : readFlag(options.requireApproval)
  const enable = options.enableHostInjectedCopilotAdapter || options.enableCopilot || isDefault
  const disable = options.disableHostInjectedCopilotAdapter || options.disableCopilot
  if (!enable && !disable && defaultProvider === undefined && requireApproval === undefined) return undefined
  return {
    enabled: enable ? true : disable ? false : wasEnabled,
    ...omitUndefined({ requireApproval, defaultProvider }),
    actor: options.actor,
  }
}

function readFlag(word: string): boolean {
  const value = readBoolean(word)
  if (value === undefined) throw new DreyError(`"${word}" is neither true nor false`)
  return value
}

export function memoryReindexCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "reindex",
    "Rebuild the index of governed memory from its files; a corrupt index is kept as a copy.",
    "drey memory reindex",
  ).action((options: MemoryCommandOptions) =>
    runMemory(face, "reindex", options, async (memory, log) => {
      const result = await memory.reindex()
      log("info", "reindex.complete", { count: result.entries })
      return { document: result }
    }),
  )
}
