import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError } from "../../errors.ts"
import { didYouMean } from "../../formats/text.ts"
import type { Session } from "../../sessions/session-api.ts"
import { command } from "../command.ts"
import { colors } from "../output.ts"
import { type CommonOptions, print, printNotice } from "../print.ts"

export type SessionOptions = CommonOptions & { session?: string; agent?: string; setAside?: boolean }

/** A subcommand of `drey session`, with the options that all about one session share. */
export function sessionSubcommand(name: string, description: string, example: string): Command {
  const session = new Option("--session <id>", "session id or a unique prefix of it; default: the only open session")
  return command(name, description, example)
    .addOption(session.env("DREY_SESSION"))
    .addOption(
      new Option("--agent <name>", "the agent whose memory to use; default: the session's first agent").env(
        "DREY_AGENT",
      ),
    )
}

/** The same for one that writes. */
export function writingSubcommand(name: string, description: string, example: string): Command {
  return sessionSubcommand(name, description, example).option(
    "--set-aside",
    "rename an unreadable file and start a new one; default: refuse",
  )
}

/** The session that was named, behind the command or by `--session`. */
export async function openSession(
  options: SessionOptions,
  id?: string,
  { newest = false }: { newest?: boolean } = {},
): Promise<Session> {
  const sessions = openDrey(options).sessions
  return sessions.open(id ?? sessionOf(options), { setAside: options.setAside, newest })
}

/** A variable of the environment that is set to nothing names nothing, here and below. */
export function sessionOf({ session }: SessionOptions): string | undefined {
  return session || undefined
}

export function agentOf({ agent }: SessionOptions): string | undefined {
  return agent?.trim() || undefined
}

/** The named agent, otherwise the session's first. */
export async function requireAgent(session: Session, options: SessionOptions): Promise<string> {
  return session.agentNamed(agentOf(options))
}

/** A new entry: its id alone on stdout, for scripts, and where it went beside it. */
export function printNew(options: SessionOptions, session: Session, agent: string, entry: { id: string }): void {
  print(
    options,
    () => ({ ...entry, agent, session: session.id }),
    () => entry.id,
  )
  if (!options.json) printNotice(colors.dim(`Noted for ${agent} in ${session.id}`))
}

/** Adds up what an option is given again and again: its values are never mistaken for the text behind them. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** The text of a command: the arguments, or stdin if they are `-` or missing. */
export async function readText(written: string | undefined): Promise<string> {
  if (written !== undefined && written !== "-") return written
  if (written === undefined && process.stdin.isTTY) return ""
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts)).replace(/\r?\n$/, "")
  } catch (cause) {
    throw new DreyError("The input on stdin is not UTF-8 text", { cause })
  }
}

/** The same for a command that has nothing to do without one. */
export async function requireContent(written: string | undefined, what: string): Promise<string> {
  const text = await readText(written)
  if (text.trim() !== "") return text
  throw new DreyError(`There is no ${what}`, { hint: 'Write it in quotes after the command, or pipe it in ("-").' })
}

/** A word of one's own is kept, with a warning when it is written; one that looks like a known word mistyped is not taken. */
export function rejectTypo(word: string, known: readonly string[], what: string): void {
  if (known.includes(word)) return
  const meant = didYouMean(word, known) ?? known.find((each) => each.includes(word.toLowerCase()))
  if (meant !== undefined) throw new DreyError(`"${word}" is not a ${what}`, { hint: `Did you mean ${meant}?` })
}
