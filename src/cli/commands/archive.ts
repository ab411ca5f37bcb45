import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { showTidy, type TidyCommandOptions } from "../show-tidy.ts"

type Options = TidyCommandOptions & { quarterly?: boolean }

export function archiveCommand(): Command {
  return command(
    "archive",
    "Make a decisions.md of 20 KB or more smaller: move superseded entries and notes to the archive, then the least used decisions and rules. Moved entries are still found.",
    "drey archive --dry-run\ndrey archive --quarterly",
  )
    .option("--dry-run", "show the plan and write nothing")
    .option("--quarterly", "one archive per quarter, decisions/archive/2026-Q1.md, instead of decisions-archive.md")
    .action(archive)
}

async function archive(options: Options): Promise<void> {
  const { quarterly = false, dryRun = false } = options
  showTidy(options, await openDrey(options).team.archive({ quarterly, dryRun }))
}
