import type { Command } from "commander"
import { DreyError, exitCode } from "../../errors.ts"
import { type MemoryCommandOptions, type MemoryFace, memorySubcommand, runMemory } from "../memory-face.ts"

type Options = MemoryCommandOptions & { class?: string; actor?: string }

const usage = "drey memory promote <id> --class LOCAL|DECISION|POLICY|COPILOT_MEMORY [--actor <name>]"

export function memoryPromoteCommand(face: MemoryFace): Command {
  return memorySubcommand(
    "promote",
    "Store a memory under another class; the old one is superseded and both are linked.",
    "drey memory promote 0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11 --class DECISION --actor scribe",
  )
    .argument("[id]", "the memory")
    .option("--class <class>", "LOCAL, DECISION, POLICY or COPILOT_MEMORY")
    .option("--actor <name>", "who promotes it, for the audit log")
    .action((id: string | undefined, options: Options) =>
      runMemory(face, "promote", options, async (memory, log) => {
        if (id === undefined || options.class === undefined) throw new DreyError(`Usage: ${usage}`)
        log("debug", "promote.request", { requestedClass: options.class })
        const result = await memory.promote(id, options.class, options.actor)
        log("info", "promote.complete", { class: result.classification.class, stored: result.stored })
        return { document: result, code: result.stored ? exitCode.done : exitCode.no }
      }),
    )
}
