import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { command } from "../command.ts"
import { parseCount } from "../parse-count.ts"
import { type CommonOptions, print } from "../print.ts"
import { reportText } from "../show-report.ts"

type Options = CommonOptions & { from?: string; examples: string; oldAfter: string }

export function reportCommand(): Command {
  return command(
    "report",
    "Tell what a store of memories is worth: how many there are, how much of it is junk, said twice or out of date, and where it holds secrets. This project's own memory, or another tool's with --from: a mem0 export (JSON), the reference memory server's JSON lines, or notes in Markdown such as MEMORY.md or CLAUDE.md. Each memory is counted once, by the first thing found against it. Secrets are told by rule and line, never by value. Reads only, and sends nothing anywhere.",
    "drey report\ndrey report --from ~/memory.jsonl\ndrey report --from MEMORY.md --examples 10\ndrey report --from exports/ --json",
  )
    .option("--from <path>", "another tool's file, or a folder with such files")
    .option("--examples <number>", "how many of each kind to show", "3")
    .option("--old-after <days>", "when a memory that tells its date counts as old", "180")
    .action(report)
}

async function report({ from, examples, oldAfter, ...options }: Options): Promise<void> {
  const shown = parseCount(examples, "examples", 0, 100_000)
  const oldAfterDays = parseCount(oldAfter, "days", 1, 100_000)
  const drey = openDrey(options)
  const found = await drey.memories.report({ oldAfterDays, ...(from === undefined ? {} : { from }) })
  await drey.close()
  print(
    options,
    () => found,
    () => reportText(found, shown),
  )
  if (found.stores.every(({ memories }) => memories === 0)) process.exitCode = exitCode.no
}
