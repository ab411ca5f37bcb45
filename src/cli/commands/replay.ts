import type { Command } from "commander"
import { command } from "../command.ts"
import { ingestAndShow } from "../ingest-and-show.ts"
import type { CommonOptions } from "../print.ts"

export function replayCommand(): Command {
  return command(
    "replay",
    "Learn from all existing transcripts of this project, oldest session first; each memory gets the date of the work it came from. An interrupted run resumes where it stopped, and running it again does nothing. Same as drey ingest --retry: also retries episodes for which the writer failed too often.",
    "drey replay\ndrey replay --json",
  ).action((options: CommonOptions) => ingestAndShow(options, { parked: true }))
}
