import type { Command } from "commander"
import { actingAgent } from "../../agent.ts"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { showTidy, type TidyCommandOptions } from "../show-tidy.ts"

type Options = TidyCommandOptions & { consolidate?: boolean; acceptReview?: boolean }

export function mergeCommand(): Command {
  return command(
    "merge",
    "Merge agents' decisions and notes from the inbox into decisions.md. Rules, imports, learned memories and contradictions wait until you accept them. Exit code 1 when a file needs review or has a problem.",
    "drey merge --dry-run\ndrey merge --consolidate",
  )
    .option("--dry-run", "show the plan and write nothing")
    .option("--consolidate", "combine near-duplicates into one entry; the originals move to the archive")
    .option("--accept-review", "also accept everything that needs your review; read it first")
    .action(merge)
}

async function merge(options: Options): Promise<void> {
  const { consolidate = false, acceptReview = false, dryRun = false } = options
  showTidy(
    options,
    await openDrey({ ...options, agent: actingAgent(process.env) }).team.merge({ consolidate, acceptReview, dryRun }),
  )
}
