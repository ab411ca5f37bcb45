import { resolve } from "node:path"
import type { Command } from "commander"
import { command } from "../command.ts"
import { ingestAndShow } from "../ingest-and-show.ts"
import type { CommonOptions } from "../print.ts"

type Options = CommonOptions & { allProjects?: boolean; retry?: boolean }

export function ingestCommand(): Command {
  return command(
    "ingest",
    "Learn from new transcripts of this project's coding agents. Records that were already read are not read again.",
    "drey ingest\ndrey ingest ~/.claude/projects/-src-app/4f2a.jsonl --json",
  )
    .argument("[files...]", "transcript files; default: all transcripts on this machine")
    .option("--all-projects", "for every project that Drey knows")
    .option("--retry", "also retry episodes for which the writer failed too often")
    .action(ingest)
}

async function ingest(files: string[], options: Options): Promise<void> {
  await ingestAndShow(options, {
    ...(files.length > 0 ? { files: files.map((file) => resolve(file)) } : {}),
    allProjects: options.allProjects === true,
    parked: options.retry === true,
  })
}
