import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { showTidy, type TidyCommandOptions } from "../show-tidy.ts"

type Options = TidyCommandOptions & { quarterly?: boolean }

export function archiveCommand(): Command {
  return command(
    "archive",
    "Move old entries out of a decisions.md of 20 KB or more, whole and in order: superseded ones first, then by age. Directives and permanent entries stay.",
    "drey archive --dry-run\ndrey archive --quarterly",
  )
    .option("--dry-run", "show the plan and write nothing")
    .option("--quarterly", "one archive per quarter, decisions/archive/2026-Q1.md, instead of decisions-archive.md")
    .action(archive)
}

async function archive(options: Options): Promise<void> {
  const { quarterly = false, dryRun = false } = options
  showTidy(options, await openDrey(options).archive({ quarterly, dryRun }))
}
