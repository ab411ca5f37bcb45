import type { Command } from "commander"
import { actingAgent } from "../../agent.ts"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { showTidy, type TidyCommandOptions } from "../show-tidy.ts"

type Options = TidyCommandOptions & { consolidate?: boolean; quarterly?: boolean; pruneLogs?: boolean }

export function tidyCommand(): Command {
  return command(
    "tidy",
    "Merge, archive and summarize in one change, and move logs older than 7 days to an archive. Exit code 1 when a file needs review or has a problem.",
    "drey tidy --dry-run\ndrey tidy --json",
  )
    .option("--dry-run", "show the plan, with the tokens it saves each agent, and write nothing")
    .option("--consolidate", "combine near-duplicates into one entry; the originals move to the archive")
    .option("--quarterly", "one archive of decisions per quarter")
    .option("--prune-logs", "delete old logs instead of moving them to an archive folder")
    .action(tidy)
}

async function tidy(options: Options): Promise<void> {
  const { consolidate = false, quarterly = false, pruneLogs = false, dryRun = false } = options
  showTidy(
    options,
    await openDrey({ ...options, agent: actingAgent(process.env) }).team.tidy({
      consolidate,
      quarterly,
      pruneLogs,
      dryRun,
    }),
  )
}
