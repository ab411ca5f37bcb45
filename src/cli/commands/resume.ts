import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"

type Options = CommonOptions & { project?: boolean }

export function resumeCommand(): Command {
  return command(
    "resume",
    "Resume learning after a pause. Transcripts written in the meantime are read next.",
    "drey resume\ndrey resume --project",
  )
    .option("--project", "end this project's pause; default: the global pause")
    .action(resume)
}

async function resume(options: Options): Promise<void> {
  const drey = openDrey(options)
  const learning = drey.memories
  const was = await learning.transcripts.resume(options.project ? "project" : "everything")
  const inForce = await learning.transcripts.activePause()
  await drey.close()
  print(
    options,
    () => ({ resumed: was, paused: inForce ?? null }),
    () => {
      const still = inForce && (inForce.of === "project" ? "drey resume --project" : "drey resume")
      const done = was ? "Learning resumed." : "Learning was not paused."
      return still
        ? `${was ? "This pause has ended" : "There was no such pause"}, but learning is still paused since ${inForce.since}. To end that pause: ${still}`
        : done
    },
  )
}
