import type { Command } from "commander"
import { DreyError, exitCode } from "../../errors.ts"
import { type MemoryCommandOptions, type MemoryFace, memorySubcommand, runMemory } from "../memory-face.ts"

type Options = MemoryCommandOptions & { actor?: string }

export function memoryDeleteCommand(face: MemoryFace): Command {
  return memorySubcommand(
    "delete",
    "Delete a memory here and at every provider that has a copy; a tombstone is kept.",
    "drey memory delete 0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11 --actor scribe",
  )
    .argument("[id]", "the memory")
    .option("--actor <name>", "who deletes it, for the audit log")
    .action((id: string | undefined, options: Options) =>
      runMemory(face, "delete", options, async (memory, log) => {
        if (id === undefined) throw new DreyError("Usage: drey memory delete <id> [--actor <name>]")
        const deleted = await memory.delete(id, options.actor)
        log("info", "delete.complete", { deleted })
        return { document: { deleted }, code: deleted ? exitCode.done : exitCode.no }
      }),
    )
}
