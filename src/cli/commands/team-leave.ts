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
    "Sign out of the team: removes the token and the copies of the team's memory from this machine. Your own memories stay, and what you shared stays with the team.",
    "drey team leave\ndrey team leave --yes",
  )
    .option("-y, --yes", "do not ask, and discard unsent changes")
    .action(leave)
}

async function leave(options: Options): Promise<void> {
  const drey = openDrey(options)
  const team = drey.server
  const status = await team.status()
  if (status.kind === "signed in") {
    const unsent = messagesText(status.waiting)
    if (unsent !== "") tell(`Not sent to the server yet: ${unsent}. Leaving discards it.`)
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
    () => `Signed out. Removed ${count(left.copies, "memory", "memories")} of the team; your own memories stay.`,
  )
}

/** With unsent changes, suggest sending them first. */
function hintFor(unsent: string): { hint?: string } {
  if (unsent !== "") return { hint: "Send pending changes first: drey team sync" }
  return process.stdin.isTTY ? {} : { hint: "Confirm with --yes." }
}
