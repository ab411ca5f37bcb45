import { Argument, type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { removeInvisible } from "../../formats/text.ts"
import { instantOf, isCalendarDate, parseTimestamp } from "../../formats/timestamp.ts"
import type { ShareResult } from "../../server/client/shares.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print, printNotice } from "../print.ts"
import { askSecret, askYesNo } from "../prompt.ts"
import {
  consentText,
  messagesText,
  printTeamProblem,
  sharePlanText,
  shareText,
  statusText,
  syncText,
} from "./team-output.ts"

type Options = CommonOptions & { token?: string; insecure?: boolean }

export function teamLoginCommand(): Command {
  return command(
    "login",
    "Sign in to a team server with a personal access token from the team's app. Asks for the token or reads it from stdin, stores it readable only by you, then copies the team's memory for your projects to this machine.",
    "drey team login https://drey.example.com\ndrey team login https://drey.example.com < token.txt",
  )
    .argument("<url>", "the address of the server")
    .option("--token <token>", "the token; prefer stdin, because other users can see it in the process list")
    .option("--insecure", "allow an unencrypted connection to a remote server")
    .action(logIn)
}

async function logIn(server: string, options: Options): Promise<void> {
  const token = options.token ?? (await askSecret("Token: "))
  const drey = openDrey(options)
  const { login, syncing } = await drey.server.login({ server, token, insecure: options.insecure })
  await drey.close()
  const { organisation, member } = login
  print(
    options,
    () => ({ ...login, syncing }),
    () =>
      `${removeInvisible(`Signed in to ${organisation.name} as ${member.name}, ${member.role}.`)}\n${syncText(syncing)}`,
  )
  printTeamProblem(syncing.problem)
  if (syncing.problem) process.exitCode = exitCode.no
}

export function teamStatusCommand(): Command {
  return command(
    "status",
    "Show the team you are signed in to, the last sync, pending changes, the number of team memories here, and any problem. Works offline.",
    "drey team status\ndrey team status --json",
  ).action(showStatus)
}

async function showStatus(options: CommonOptions): Promise<void> {
  const drey = openDrey(options)
  const status = await drey.server.status()
  await drey.close()
  print(
    options,
    () => status,
    () => statusText(status),
  )
  if (status.kind === "signed out" || status.problem) process.exitCode = exitCode.no
}

type OptionsSync = CommonOptions & { background?: boolean }

export function teamSyncCommand(): Command {
  return command(
    "sync",
    "Sync with the team server: send local changes and fetch the team's. Runs automatically every five minutes while drey watch, drey mcp or drey ui run, and after drey context.",
    "drey team sync",
  )
    .addOption(new Option("--background").hideHelp())
    .action(sync)
}

async function sync(options: OptionsSync): Promise<void> {
  const drey = openDrey(options)
  const team = drey.server
  if (options.background) await team.syncIfFree() // errors are shown by `team status`
  const syncing = options.background ? undefined : await team.sync()
  await drey.close()
  if (!syncing) return
  print(
    options,
    () => ({ ...syncing, problem: syncing.problem ?? null }),
    () => syncText(syncing),
  )
  printTeamProblem(syncing.problem)
  if (syncing.problem || syncing.refused.length > 0) process.exitCode = exitCode.no
}

type OptionsLeave = CommonOptions & { yes?: boolean }

export function teamLeaveCommand(): Command {
  return command(
    "leave",
    "Sign out of the team: removes the token and the copies of the team's memory from this machine. Your own memories stay, and what you shared stays with the team.",
    "drey team leave\ndrey team leave --yes",
  )
    .option("-y, --yes", "do not ask, and discard unsent changes")
    .action(leave)
}

async function leave(options: OptionsLeave): Promise<void> {
  const drey = openDrey(options)
  const team = drey.server
  const status = await team.status()
  if (status.kind === "signed in") {
    const unsent = messagesText(status.waiting)
    if (unsent !== "") printNotice(`Not sent to the server yet: ${unsent}. Leaving discards it.`)
    if (!options.yes && !(await askYesNo(removeInvisible(`Leave ${status.organisation.name}?`))))
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

type OptionsShare = CommonOptions & { team?: string; yes?: boolean }

export function teamShareCommand(): Command {
  return command(
    "share",
    "Share memories with your team: shows what would be sent and asks first. The team gets a copy under your name. Memories that contain a secret are not sent. Offline, they are sent with the next sync.",
    "drey team share m:4f2a91\ndrey team share m:4f2a91 m:77c0de --team payments --yes",
  )
    .argument("<ids...>", "ids or handles of learned memories")
    .option("--team <name>", "one of your teams; default: the whole organisation")
    .option("-y, --yes", "do not ask")
    .action(share)
}

async function share(ids: string[], options: OptionsShare): Promise<void> {
  const drey = openDrey(options)
  const team = drey.server
  const plan = await team.planShare(ids, { team: options.team })
  const isWanted = plan.memories.some(({ kind }) => kind === "ready")
  printNotice(sharePlanText(plan))
  if (isWanted && !options.yes && !(await askYesNo("Share this?")))
    throw new DreyError("Nothing was shared", {
      exitCode: exitCode.no,
      ...(process.stdin.isTTY ? {} : { hint: "Confirm with --yes." }),
    })
  const result = await team.share(plan)
  await drey.close()
  showShare(options, result)
}

/** Exit code 1 if the server refused a memory. */
function showShare(options: CommonOptions, result: ShareResult): void {
  print(
    options,
    () => ({ ...result, waiting: result.waiting ?? null }),
    () => shareText(result),
  )
  if (result.refused.length > 0) process.exitCode = exitCode.no
}

type OptionsUnshare = CommonOptions & { reason?: string }

export function teamUnshareCommand(): Command {
  return command(
    "unshare",
    "Withdraw a shared memory: the team's copy is retired for everyone, your own memory stays. Allowed for the member who shared it and for admins. Offline, it is sent with the next sync.",
    "drey team unshare m:4f2a91",
  )
    .argument("<ids...>", "your own memory, or the team's copy of it")
    .option("--reason <words>", "reason for the team's audit log")
    .action(unshare)
}

async function unshare(ids: string[], options: OptionsUnshare): Promise<void> {
  const drey = openDrey(options)
  const { reason } = options
  const result = await drey.server.unshare(ids, reason === undefined ? {} : { reason })
  await drey.close()
  showShare(options, result)
}

type OptionsEpisodes = CommonOptions & { from?: string; yes?: boolean }

export function teamEpisodesCommand(): Command {
  return command(
    "episodes",
    "Turn sharing of your work in this project with the team on or off. Episodes are sent in short form, without secrets, and only if an administrator has also enabled it for the project. Off by default; asks first; past work is not sent.",
    "drey team episodes on\ndrey team episodes on --from 2026-02-15 --yes\ndrey team episodes off",
  )
    .addArgument(new Argument("<on|off>", "whether episodes are sent").choices(["on", "off"]))
    .option("--from <date>", "with on: send work that began at this date or time, or later; default: now")
    .option("-y, --yes", "do not ask")
    .action((wanted: "on" | "off", options: OptionsEpisodes) => (wanted === "on" ? turnOn(options) : turnOff(options)))
}

async function turnOn(options: OptionsEpisodes): Promise<void> {
  const from = options.from === undefined ? undefined : readFrom(options.from)
  const drey = openDrey(options)
  const team = drey.server
  const status = await team.status()
  if (status.kind === "signed in") {
    printNotice(removeInvisible(whatIsSent(status.organisation.name, drey.root, from)))
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

async function turnOff(options: OptionsEpisodes): Promise<void> {
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
