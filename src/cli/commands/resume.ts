import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"

type Options = CommonOptions & { project?: boolean }

export function resumeCommand(): Command {
  return command(
    "resume",
    "Go on learning after a pause. The next look reads what was written meanwhile.",
    "drey resume\ndrey resume --project",
  )
    .option("--project", "end the pause of this project; default: the one of everything")
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
      const done = was ? "Learning goes on." : "It was not paused."
      return still
        ? `${was ? "That pause is over" : "There was no such pause"}, but another holds since ${inForce.since}: "${still}" ends it.`
        : done
    },
  )
}
