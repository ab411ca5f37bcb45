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
    "Turn sharing of your work in this project with the team on or off. Episodes are sent in short form, without secrets, and only if an administrator has also enabled it for the project. Off by default; asks first; past work is not sent.",
    "drey team episodes on\ndrey team episodes on --from 2026-02-15 --yes\ndrey team episodes off",
  )
    .addArgument(new Argument("<on|off>", "whether episodes are sent").choices(["on", "off"]))
    .option("--from <date>", "with on: send work that began at this date or time, or later; default: now")
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
        ...(process.stdin.isTTY ? {} : { hint: "Confirm with --yes." }),
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
    "An episode is one task of a session: your messages, the agent's messages, commands and their results,",
    "at most 400 characters of each. Secrets and email addresses are removed here and again on the server;",
    "whole files and paths on this machine are never sent. The organisation's memory is learned from episodes.",
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
      wasOn
        ? "Episodes of this project are no longer sent; the team keeps what was already sent."
        : "No episodes were being sent.",
  )
}

/** A date without a time means the start of that day (UTC). */
function readFrom(text: string): Date {
  const timestamp = parseTimestamp(isCalendarDate(text) ? `${text}T00:00:00Z` : text)
  if (timestamp) return new Date(instantOf(timestamp))
  throw new DreyError(`"${text}" is not a date`, { hint: "Write it as 2026-02-15 or 2026-02-15T14:32:15Z." })
}
