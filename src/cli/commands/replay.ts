import type { Command } from "commander"
import { command } from "../command.ts"
import { ingestAndShow } from "../ingest-and-show.ts"
import type { CommonOptions } from "../print.ts"

export function replayCommand(): Command {
  return command(
    "replay",
    "Learn from the history of this project: every transcript that is still there, the oldest session first, each memory with the date of the work it came from. Stopped in the middle, it goes on where it was; a second time there is nothing to do. It is drey ingest with --retry: unlike drey ingest alone, it also takes up the episodes that were given up.",
    "drey replay\ndrey replay --json",
  ).action((options: CommonOptions) => ingestAndShow(options, { parked: true }))
}
