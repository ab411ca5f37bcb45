import type { Command } from "commander"
import { type MemoryCommandOptions, type MemoryFace, memorySubcommand, runMemory } from "../memory-face.ts"

export function memoryReindexCommand(face: MemoryFace): Command {
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
