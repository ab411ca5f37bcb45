import type { Command } from "commander"
import { actingAgent } from "../../agent.ts"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { showTidy, type TidyCommandOptions } from "../show-tidy.ts"

type Options = TidyCommandOptions & { consolidate?: boolean; acceptReview?: boolean }

export function mergeCommand(): Command {
  return command(
    "merge",
    "Merge agents' decisions and notes from the inbox into decisions.md. Rules, imports, learned memories and contradictions wait until you accept them. Exit code 1 when a file waits or has a problem.",
    "drey merge --dry-run\ndrey merge --consolidate",
  )
    .option("--dry-run", "show the plan and write nothing")
    .option("--consolidate", "make one entry of those that say nearly the same; the originals go to the archive")
    .option("--accept-review", "accept everything that waits for you as well: you have read it")
    .action(merge)
}

async function merge(options: Options): Promise<void> {
  const { consolidate = false, acceptReview = false, dryRun = false } = options
  showTidy(
    options,
    await openDrey({ ...options, agent: actingAgent(process.env) }).team.merge({ consolidate, acceptReview, dryRun }),
  )
}
