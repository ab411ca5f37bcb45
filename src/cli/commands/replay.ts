import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, print, tell } from "../print.ts"
import { ingestBars, ingestDocument, ingestText } from "../show-learning.ts"

export function replayCommand(): Command {
  return command(
    "replay",
    "Learn from the history of this project: every transcript that is still there, the oldest session first, each memory with the date of the work it came from. Stopped in the middle, it goes on where it was; a second time there is nothing to do.",
    "drey replay\ndrey replay --json",
  ).action(replay)
}

async function replay(options: CommonOptions): Promise<void> {
  const drey = openDrey(options)
  const bars = ingestBars()
  const ingestion = await (await drey.learning()).ingest({ parked: true, progress: bars.progress })
  bars.end()
  await drey.close()
  print(
    options,
    () => ingestDocument(ingestion),
    () => ingestText(ingestion),
  )
  for (const { path, message } of ingestion.unreadable) tell(`drey: ${path} was passed over: ${message}`)
}
