import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { showTidy, type TidyCommandOptions } from "../show-tidy.ts"

export function summarizeCommand(): Command {
  return command(
    "summarize",
    "Shorten histories of more than 12 KB: move the oldest parts to history-archive.md, where search still finds them, and leave a summary.",
    "drey summarize --dry-run",
  )
    .option("--dry-run", "show the plan and write nothing")
    .action(summarize)
}

async function summarize(options: TidyCommandOptions): Promise<void> {
  showTidy(options, await openDrey(options).team.summarize({ dryRun: options.dryRun === true }))
}
