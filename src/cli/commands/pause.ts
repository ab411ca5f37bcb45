import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"

type Options = CommonOptions & { project?: boolean }

export function pauseCommand(): Command {
  return command(
    "pause",
    "Pause learning: transcripts are not read until drey resume. Existing memories are still used.",
    "drey pause\ndrey pause --project",
  )
    .option("--project", "only in this project; default: everywhere")
    .action(pause)
}

async function pause(options: Options): Promise<void> {
  const drey = openDrey(options)
  const learning = drey.memories
  const of = options.project ? "project" : "everything"
  const isNew = await learning.transcripts.pause(of)
  const inForce = await learning.transcripts.activePause()
  await drey.close()
  print(
    options,
    () => ({ paused: of, isNew, ...inForce }),
    () =>
      `Learning is paused ${options.project ? "in this project" : "everywhere"}${isNew ? "" : ` since ${inForce?.since}`}. Transcripts written in the meantime are read after "drey resume${options.project ? " --project" : ""}".`,
  )
}
