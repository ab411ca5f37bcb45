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
    "Check memory quality: junk, duplicates, stale entries and secrets. Checks this project's own memory, or another tool's with --from: a mem0 export (JSON), the reference memory server's JSON lines, or Markdown notes such as MEMORY.md or CLAUDE.md. Each memory is counted once, by the first problem found. Secrets are reported by rule and line, never by value. Read-only; sends nothing over the network.",
    "drey report\ndrey report --from ~/memory.jsonl\ndrey report --from MEMORY.md --examples 10\ndrey report --from exports/ --json",
  )
    .option("--from <path>", "another tool's file, or a folder of such files")
    .option("--examples <number>", "how many of each kind to show", "3")
    .option("--old-after <days>", "age at which a dated memory counts as old", "180")
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
