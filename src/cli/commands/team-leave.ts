import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { dropUnseen } from "../../formats/drop-unseen.ts"
import { askYesNo } from "../ask.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print, tell } from "../print.ts"
import { messagesText } from "../show-team.ts"

type Options = CommonOptions & { yes?: boolean }

export function teamLeaveCommand(): Command {
  return command(
    "leave",
    "Sign out of the team: the copies of its memory and the token go from this machine, what you learned yourself stays, and what you shared stays with the team.",
    "drey team leave\ndrey team leave --yes",
  )
    .option("-y, --yes", "do not ask, and drop what was not sent")
    .action(leave)
}

async function leave(options: Options): Promise<void> {
  const drey = openDrey(options)
  const team = drey.server
  const status = await team.status()
  if (status.kind === "signed in") {
    const unsent = messagesText(status.waiting)
    if (unsent !== "") tell(`The server has not been told of ${unsent}; leaving drops that.`)
    if (!options.yes && !(await askYesNo(dropUnseen(`Leave ${status.organisation.name}?`))))
      throw new DreyError("You are still signed in", {
        exitCode: exitCode.no,
        ...hintFor(unsent),
      })
  }
  const left = await team.leave({ dropWaiting: true })
  await drey.close()
  print(
    options,
    () => left,
    () => `Left. ${count(left.copies, "memory", "memories")} of the team went with it; your own stay.`,
  )
}

/** With something unsent, sending it comes before agreeing. */
function hintFor(unsent: string): { hint?: string } {
  if (unsent !== "") return { hint: "drey team sync sends what waits." }
  return process.stdin.isTTY ? {} : { hint: "Agree with --yes." }
}
