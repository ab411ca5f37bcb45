import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { newMemories } from "../new-memories.ts"
import { type CommonOptions, count, print } from "../print.ts"
import { graduationText, learnedText, pausedText } from "../show-learning.ts"

export function flushCommand(): Command {
  return command(
    "flush",
    "Close the current task and learn from it now, instead of when the next task starts. Running it again does nothing.",
    "drey flush",
  ).action(flush)
}

async function flush(options: CommonOptions): Promise<void> {
  const drey = openDrey(options)
  const learning = drey.memories
  const read = await learning.ingest() // messages since the last read belong to the task
  const flushed = await learning.flush()
  const memories = await newMemories(learning, [...read.learned.outcomes, ...flushed.learned.outcomes])
  await drey.close()
  print(
    options,
    () => flushed,
    () =>
      [
        ...pausedText(flushed.paused),
        ...(flushed.paused.length > 0 ? [] : [closedText(flushed.episodes)]),
        ...learnedText(flushed.learned),
        ...graduationText(flushed.graduation),
        ...memories,
      ].join("\n"),
  )
}

function closedText(episodes: number): string {
  return episodes === 0 ? "No task was open." : `Closed ${count(episodes, "task")}.`
}
