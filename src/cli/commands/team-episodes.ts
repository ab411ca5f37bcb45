import { Argument, type Command } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { dropUnseen } from "../../formats/drop-unseen.ts"
import { instantOf, isCalendarDate, parseTimestamp } from "../../formats/timestamp.ts"
import { askYesNo } from "../ask.ts"
import { command } from "../command.ts"
import { type CommonOptions, print, tell } from "../print.ts"
import { consentText } from "../show-team.ts"

type Options = CommonOptions & { from?: string; yes?: boolean }

export function teamEpisodesCommand(): Command {
  return command(
    "episodes",
    "Let your team learn from your work in this project, or no longer: what was said and done is sent in short form, without secrets, if an administrator has agreed to it for the project as well. Off unless you turn it on, and asked first; what is past is not sent.",
    "drey team episodes on\ndrey team episodes on --from 2026-02-15 --yes\ndrey team episodes off",
  )
    .addArgument(new Argument("<on|off>", "whether they are sent").choices(["on", "off"]))
    .option("--from <date>", "with on: what began on this day or at this time, or later; default: now")
    .option("-y, --yes", "do not ask")
    .action((wanted: "on" | "off", options: Options) => (wanted === "on" ? turnOn(options) : turnOff(options)))
}

async function turnOn(options: Options): Promise<void> {
  const from = options.from === undefined ? undefined : readFrom(options.from)
  const drey = openDrey(options)
  const team = drey.server
  const status = await team.status()
  if (status.kind === "signed in") {
    tell(dropUnseen(whatIsSent(status.organisation.name, drey.root, from)))
    if (!options.yes && !(await askYesNo("Send them?")))
      throw new DreyError("Nothing was changed", {
        exitCode: exitCode.no,
        ...(process.stdin.isTTY ? {} : { hint: "Agree with --yes." }),
      })
  }
  const consent = await team.allowEpisodes({ from })
  await drey.close()
  print(
    options,
    () => consent,
    () => consentText(consent),
  )
}

function whatIsSent(organisation: string, root: string, from: Date | undefined): string {
  return [
    `${organisation} gets the episodes of ${root} that begin ${from === undefined ? "from now on" : `on ${from.toISOString()} or later`}, each when Drey has learned from it.`,
    "An episode is one task's worth of a session: your messages, the agent's, commands and what came of them,",
    "at most 400 characters of each. Secrets and addresses of people are taken out here and again on the server;",
    "whole files, and where things lie on this machine, are never sent. The organisation's memory is learned from it.",
  ].join("\n")
}

async function turnOff(options: Options): Promise<void> {
  const drey = openDrey(options)
  const wasOn = await drey.server.forbidEpisodes()
  await drey.close()
  print(
    options,
    () => ({ wasOn }),
    () =>
      wasOn ? "No more episodes of this project are sent; what the team has, it has." : "None were sent from here.",
  )
}

/** A day counts whole: it means the moment when it began. */
function readFrom(text: string): Date {
  const timestamp = parseTimestamp(isCalendarDate(text) ? `${text}T00:00:00Z` : text)
  if (timestamp) return new Date(instantOf(timestamp))
  throw new DreyError(`"${text}" is not a date`, { hint: "Write it as 2026-02-15 or 2026-02-15T14:32:15Z." })
}
