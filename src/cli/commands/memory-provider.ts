import type { Command } from "commander"
import { DreyError } from "../../errors.ts"
import { type MemoryCommandOptions, type MemoryFace, memorySubcommand, readBoolean, runMemory } from "../memory-face.ts"

type Options = MemoryCommandOptions & {
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

export function memoryProviderCommand(face: MemoryFace): Command {
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
    .action((options: Options) =>
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

function readChange(options: Options, wasEnabled: boolean) {
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
    ...(requireApproval === undefined ? {} : { requireApproval }),
    ...(defaultProvider === undefined ? {} : { defaultProvider }),
    actor: options.actor,
  }
}

function readFlag(word: string): boolean {
  const value = readBoolean(word)
  if (value === undefined) throw new DreyError(`"${word}" is neither true nor false`)
  return value
}
