import { resolve } from "node:path"
import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { omitUndefined } from "../../formats/objects.ts"
import { parseDuration } from "../../formats/timestamp.ts"
import type { Session, Sessions } from "../../sessions/session-api.ts"
import { command, commandGroup } from "../command.ts"
import { parseCount } from "../option-values.ts"
import { colors, writeJson } from "../output.ts"
import { type CommonOptions, print, printNotice } from "../print.ts"
import { sessionAttemptCommand } from "./session-attempt.ts"
import {
  sessionArbiterCommand,
  sessionContextCommand,
  sessionDecideCommand,
  sessionDiscoverCommand,
  sessionPlanCommand,
  sessionPromptCommand,
  sessionSayCommand,
} from "./session-entries.ts"
import { sessionGraduateCommand, sessionGraduationText } from "./session-graduate.ts"
import {
  agentOf,
  openSession,
  requireContent,
  type SessionOptions,
  sessionOf,
  sessionSubcommand,
} from "./session-options.ts"
import {
  archivingText,
  cleanupText,
  endText,
  entryText,
  sessionText,
  summaryLine,
  traceText,
  validationText,
} from "./session-output.ts"

export function sessionCommand(): Command {
  const session = commandGroup(
    "session",
    "Manage a session's working memory: what its agents discovered, tried and decided, so that no agent repeats another's failure.",
    'export DREY_SESSION=$(drey session start "Send the monthly report as PDF" --agent developer)\ndrey session attempt start "Render the PDF in Chromium"',
  )
  for (const subcommand of [
    sessionStartCommand(),
    sessionDiscoverCommand(),
    sessionAttemptCommand(),
    sessionDecideCommand(),
    sessionContextCommand(),
    sessionPlanCommand(),
    sessionSayCommand(),
    sessionPromptCommand(),
    sessionArbiterCommand(),
    sessionShowCommand(),
    sessionListCommand(),
    sessionValidateCommand(),
    sessionArchiveCommand(),
    sessionEndCommand(),
    sessionGraduateCommand(),
    sessionExportCommand(),
    sessionCleanupCommand(),
  ]) {
    session.addCommand(subcommand)
  }
  return session
}

type Options = Omit<SessionOptions, "session">

function sessionStartCommand(): Command {
  return command(
    "start",
    "Start a session. Prints its id, which the other commands read from --session or DREY_SESSION; they need neither while only one session is open.",
    'drey session start "Send the monthly report as PDF" --agent developer\nexport DREY_SESSION=$(drey session start "Send the monthly report as PDF")',
  )
    .argument("[task...]", 'the task; from stdin if "-" or missing')
    .addOption(new Option("--agent <name>", "the session's first agent").env("DREY_AGENT"))
    .action(start)
}

async function start(words: string[], options: Options): Promise<void> {
  const task = await requireContent(words.length > 0 ? words.join(" ") : undefined, "task")
  const sessions = openDrey(options).sessions
  const { id, folder, firstAgent } = await sessions.start({ task, ...omitUndefined({ agent: agentOf(options) }) })
  const agent = await firstAgent()
  print(
    options,
    () => ({ id, folder, agent }),
    () => id,
  )
  if (!options.json) printNotice(colors.dim(`Started a session for ${agent} in ${folder}`))
}

type OptionsList = CommonOptions & { active?: boolean }

function sessionListCommand(): Command {
  return command("list", "List the sessions of this repository, the newest first.", "drey session list --active")
    .option("--active", "only open sessions")
    .action(list)
}

async function list(options: OptionsList): Promise<void> {
  const sessions = openDrey(options).sessions
  const found = await sessions.list({ active: options.active === true })
  print(
    options,
    () => found,
    () => found.map(summaryLine).join("\n"),
  )
  if (found.length === 0 && !options.json)
    printNotice(options.active ? "No open sessions." : `No sessions in ${sessions.folder()}.`)
  for (const each of found) {
    if (each.kind !== "unreadable") continue
    printNotice(`drey: ${each.id} cannot be read: ${each.problem}`)
    process.exitCode = exitCode.no
  }
}

type OptionsShow = SessionOptions & { trace?: boolean }

function sessionShowCommand(): Command {
  return sessionSubcommand(
    "show",
    "Show a session, or one of its entries. With --trace, follow an entry's links in both directions: attempts, decisions and discoveries it is based on or led to.",
    "drey session show\ndrey session show attempt-001 --trace",
  )
    .argument("[id]", "a session's id or a unique prefix of it, or an entry's id")
    .option("--trace", "show all entries linked to this one, directly or indirectly")
    .action(show)
}

async function show(id: string | undefined, options: OptionsShow): Promise<void> {
  const sessions = openDrey(options).sessions
  if (id === undefined || (await isSession(sessions, id))) {
    if (options.trace)
      throw new DreyError("--trace needs an entry's id", { hint: "For example: drey session show attempt-001 --trace" })
    return showSession(options, await sessions.open(id ?? sessionOf(options), { newest: true }))
  }
  return showEntry(options, await sessions.open(sessionOf(options), { newest: true }), id)
}

async function isSession(sessions: Pick<Sessions, "list">, id: string): Promise<boolean> {
  return (await sessions.list()).some((session) => session.id.startsWith(id))
}

async function showSession(options: OptionsShow, session: Session): Promise<void> {
  const metadata = await session.metadata()
  const memories = await session.memories({ agent: agentOf(options) })
  const plan = await session.plan.read()
  const { id, folder } = session
  print(
    options,
    () => ({ id, folder, metadata, plan: plan ?? null, agents: [...memories.values()] }),
    () => sessionText({ id, folder, metadata, plan, memories }),
  )
}

async function showEntry(options: OptionsShow, session: Session, id: string): Promise<void> {
  const trace = await session.trace(id, { agent: agentOf(options) })
  const { start } = trace
  print(
    options,
    () => ({ session: session.id, ...(options.trace ? trace : start) }),
    () => (options.trace ? traceText(trace) : entryText(start)),
  )
}

type OptionsValidate = CommonOptions & { strict?: boolean }

function sessionValidateCommand(): Command {
  return command(
    "validate",
    "Check session files: syntax, fields, ids, references, times, sizes, secrets. Exit code 1 when there are errors, 2 when a file cannot be read or has a newer version.",
    "drey session validate\ndrey session validate .squad/sessions/20260214-091500-5e1c07d2-monthly-report --strict",
  )
    .argument("[paths...]", "files or folders of sessions; default: all sessions")
    .option("--strict", "treat warnings as errors")
    .action(validate)
}

async function validate(paths: string[], options: OptionsValidate): Promise<void> {
  const sessions = openDrey(options).sessions
  const validation = await sessions.validate(paths.length === 0 ? undefined : paths)
  print(
    options,
    () => validation,
    () => validationText(validation),
  )
  const { files, errors, warnings } = validation
  if (errors > 0 || (options.strict && warnings > 0)) process.exitCode = exitCode.no
  if (files.some(({ unreadable }) => unreadable)) process.exitCode = exitCode.usage
}

type OptionsArchive = SessionOptions & { dryRun?: boolean }

function sessionArchiveCommand(): Command {
  return sessionSubcommand(
    "archive",
    "Move session entries older than two hours to the archive. Open, critical and referenced entries stay. Also runs automatically when an agent writes to a file larger than 100 KB or older than four hours.",
    "drey session archive --dry-run\ndrey session archive 20260214-0915",
  )
    .argument("[id]", "the session, instead of --session")
    .option("--dry-run", "show what would move, and change nothing")
    .action(archive)
}

async function archive(id: string | undefined, options: OptionsArchive): Promise<void> {
  const session = await openSession(options, id)
  const dryRun = options.dryRun === true
  const archivings = await session.archive({ dryRun })
  print(
    options,
    () => ({ session: session.id, dryRun, archivings }),
    () => archivingText(session.id, archivings, { dryRun }),
  )
}

type OptionsEnd = SessionOptions & {
  status?: "complete" | "failed" | "cancelled"
  summary?: string
  graduate: "ask" | "auto" | "off"
}

function sessionEndCommand(): Command {
  return sessionSubcommand(
    "end",
    "End a session: open attempts are closed as partial, and findings worth keeping are proposed.",
    'drey session end --summary "The report goes out"\ndrey session end 20260214-0915 --status failed --graduate off',
  )
    .argument("[id]", "the session, instead of --session")
    .addOption(
      new Option("--status <status>", "how it went; default: complete").choices(["complete", "failed", "cancelled"]),
    )
    .option("--summary <text>", "the result")
    .addOption(
      new Option(
        "--graduate <mode>",
        "findings worth keeping: list them (ask), keep the verified ones now (auto), or skip this (off)",
      )
        .choices(["ask", "auto", "off"])
        .default("ask"),
    )
    .action(end)
}

async function end(id: string | undefined, options: OptionsEnd): Promise<void> {
  const drey = openDrey(options)
  const session = await drey.sessions.open(id ?? sessionOf(options))
  const { status, summary } = options
  const metadata = await session.end(omitUndefined({ status, summary }))
  const graduation = await drey.sessions.graduate(session.id, { mode: options.graduate })
  await drey.close()
  print(
    options,
    () => ({ id: session.id, metadata, graduation }),
    () => [endText(session.id, metadata), ...sessionGraduationText(graduation)].join("\n"),
  )
}

type OptionsExport = SessionOptions & { out?: string }

function sessionExportCommand(): Command {
  return sessionSubcommand(
    "export",
    "Export a session as one JSON document: every agent's memory with its archive, plans, conversation and state.",
    "drey session export > session.json\ndrey session export 20260214-0915 --out session.json",
  )
    .argument("[id]", "the session, instead of --session")
    .addOption(new Option("--format <format>", "how to write it").choices(["json"]).default("json"))
    .option("--out <file>", "write it to a file")
    .action(exportSession)
}

async function exportSession(id: string | undefined, options: OptionsExport): Promise<void> {
  const session = await openSession(options, id, { newest: true })
  const document = await session.export()
  if (options.out === undefined) return writeJson(document)
  const text = `${JSON.stringify(document, null, 2)}\n`
  const path = resolve(options.out)
  await openDrey(options).team.saveAs(path, text)
  print(
    options,
    () => ({ session: session.id, path, bytes: Buffer.byteLength(text) }),
    () => `Wrote ${session.id} to ${path}.`,
  )
}

type OptionsCleanup = CommonOptions & { olderThan: string; keep: string; yes?: boolean }

const day = 86_400_000

function sessionCleanupCommand(): Command {
  return command(
    "cleanup",
    "List sessions that are old enough to remove, and remove them with --yes. The newest ten, failed and open sessions are kept.",
    "drey session cleanup --older-than 60d\ndrey session cleanup --keep 200 --yes",
  )
    .option("--older-than <time>", "time since the last write: 24h, 30d, 8w, 3m", "30d")
    .option(
      "--keep <number>",
      "maximum number of sessions; beyond it the oldest are removed, whatever their age",
      "1000",
    )
    .option("-y, --yes", "remove them")
    .action(cleanUp)
}

async function cleanUp(options: OptionsCleanup): Promise<void> {
  const age = parseDuration(options.olderThan)
  if (age === undefined)
    throw new DreyError(`"${options.olderThan}" is not a time`, { hint: "Write it as 24h, 30d, 8w or 3m." })
  const maxSessions = parseCount(options.keep, "sessions", 0, 1_000_000)
  const sessions = openDrey(options).sessions
  const remove = options.yes === true
  const cleanup = await sessions.cleanup({ maxAgeDays: age / day, maxSessions, remove })
  print(
    options,
    () => cleanup,
    () => cleanupText(cleanup, { remove }),
  )
}
