import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import type { CommonOptions } from "../print.ts"

export function mergeDriverCommand(): Command {
  return command(
    "merge-driver",
    "Merge one file for git; `drey init` registers it as a merge driver. Entries are merged by id; if both sides changed an entry, both versions are kept and `drey validate` reports it.",
    "git config merge.drey.driver 'drey merge-driver %O %A %B %P'",
  )
    .argument("<ancestor>", "the common ancestor's version (%O)")
    .argument("<ours>", "our version, which is replaced by the result (%A)")
    .argument("<theirs>", "their version (%B)")
    .argument("<path>", "the file's path in the repository (%P)")
    .action(mergeFile)
}

async function mergeFile(
  ancestor: string,
  ours: string,
  theirs: string,
  path: string,
  options: CommonOptions,
): Promise<void> {
  await openDrey(options).team.mergeForGit({ ancestor, ours, theirs, path })
}
