import type { Command } from "commander"
import { type MemoryCommandOptions, type MemoryFace, memorySubcommand, runMemory } from "../memory-face.ts"

type Options = MemoryCommandOptions & { class?: string; all?: boolean }

export function memoryListCommand(face: MemoryFace): Command {
  return memorySubcommand("list", "List the governed memories.", "drey memory list --class DECISION")
    .option("--class <class>", "LOCAL, DECISION, POLICY or COPILOT_MEMORY")
    .option("--all", "include superseded and deleted memories")
    .action((options: Options) =>
      runMemory(face, "list", options, async (memory, log) => {
        const records = await memory.list({ all: options.all === true, class: options.class })
        log("info", "list.complete", { count: records.length })
        return { document: records }
      }),
    )
}
