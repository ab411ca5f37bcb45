import { resolve } from "node:path"
import type { Command } from "commander"
import { command } from "../command.ts"
import { ingestAndShow } from "../ingest-and-show.ts"
import type { CommonOptions } from "../print.ts"

type Options = CommonOptions & { allProjects?: boolean; retry?: boolean }

export function ingestCommand(): Command {
  return command(
    "ingest",
    "Read what is new in the coding agents' transcripts of this project and learn from it. What was read before is not read again.",
    "drey ingest\ndrey ingest ~/.claude/projects/-src-app/4f2a.jsonl --json",
  )
    .argument("[files...]", "transcripts; default: all that the coding agents on this machine have left")
    .option("--all-projects", "for every project that Drey learns from")
    .option("--retry", "also episodes that were given up because the writer failed too often")
    .action(ingest)
}

async function ingest(files: string[], options: Options): Promise<void> {
  await ingestAndShow(options, {
    ...(files.length > 0 ? { files: files.map((file) => resolve(file)) } : {}),
    allProjects: options.allProjects === true,
    parked: options.retry === true,
  })
}
