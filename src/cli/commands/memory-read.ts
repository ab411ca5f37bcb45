import type { Command } from "commander"
import { DreyError } from "../../errors.ts"
import { type MemoryCommandOptions, type MemoryFace, memorySubcommand, runMemory } from "../memory-face.ts"

export function memoryReadCommand(face: MemoryFace): Command {
  return memorySubcommand(
    "read",
    "Show one governed memory with its text.",
    "drey memory read 0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11",
  )
    .argument("[id]", "the memory")
    .action((id: string | undefined, options: MemoryCommandOptions) =>
      runMemory(face, "read", options, async (memory, log) => {
        if (id === undefined) throw new DreyError("Usage: drey memory read <id>")
        const found = await memory.read(id)
        log("info", "read.complete", { class: found.class, path: found.path })
        return { document: found }
      }),
    )
}
