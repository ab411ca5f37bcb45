import type { Command } from "commander"
import { exitCode } from "../../errors.ts"
import { type MemoryCommandOptions, type MemoryFace, memorySubcommand, runMemory } from "../memory-face.ts"
import { parseSince } from "../parse-moment.ts"

type Options = MemoryCommandOptions & { verify?: boolean; since?: string }

export function memoryAuditCommand(face: MemoryFace): Command {
  return memorySubcommand(
    "audit",
    "Show the audit log of governed memory, or verify that it was not changed.",
    "drey memory audit --since 7d\ndrey memory audit --verify",
  )
    .option("--verify", "verify the hash chains; exit code 1 when a line was edited, removed or inserted")
    .option("--since <time>", "since this date or time, or within the last 24h, 7d, 2w or 3m")
    .action((options: Options) =>
      runMemory(face, "audit", options, async (memory, log) => {
        if (options.verify) {
          const verification = await memory.verifyAudit()
          log("info", "audit.complete", { ok: verification.ok, count: verification.lines })
          return { document: verification, code: verification.ok ? exitCode.done : exitCode.no }
        }
        const records = await memory.audit(options.since === undefined ? {} : { since: parseSince(options.since) })
        log("info", "audit.complete", { count: records.length })
        return { document: records }
      }),
    )
}
