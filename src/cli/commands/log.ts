import { type Command, Option } from "commander"
import type { Unread } from "../../drey/search.ts"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { describeDuration, describeSession, listFiles } from "../../formats/client-session.ts"
import { removeInvisible, toOneLine } from "../../formats/text.ts"
import { dayOf } from "../../formats/timestamp.ts"
import type { Recent, RecentSession } from "../../recall/search/recent-activity.ts"
import { command } from "../command.ts"
import { parseCount, parseSince } from "../option-values.ts"
import { colors } from "../output.ts"
import {
  type CommonOptions,
  count,
  listLine,
  localMinute,
  pathFromHere,
  print,
  printNotice,
  printReadProblems,
  typeName,
} from "../print.ts"

type Options = CommonOptions & { agent?: string; for?: string; since?: string; limit?: string }

export function logCommand(): Command {
  return command(
    "log",
    "Show what happened in the last session: what you asked your coding agent for and the result, what was learned and decided, files changed, unresolved failures and files that are not committed; and the entries, logs and notes that agents wrote.",
    "drey log\ndrey log -n 5\ndrey log --since 7d --agent kane",
  )
    .alias("recent")
    .option(
      "-n, --limit <count>",
      "number of sessions to show, and at most as many entries; default: 1 session, all entries",
    )
    .option("--since <time>", "show everything since this date or time, or within the last 24h, 7d, 2w or 3m")
    .option("--for <time>", "the same as --since")
    .option("--agent <name>", "only this agent's entries and sessions; or those of a client such as codex")
    .addOption(new Option("--session <session>", "which session").choices(["last"]).default("last").hideHelp())
    .action(showLog)
}

const mostSessions = 100

async function showLog(options: Options): Promise<void> {
  const since = options.since ?? options.for
  const forMs = since === undefined ? undefined : Date.now() - parseSince(since).getTime()
  const limit = options.limit === undefined ? undefined : parseCount(options.limit, "sessions", 1, mostSessions)
  const drey = openDrey(options)
  const { recent, unread, ...trouble } = await drey.search.recent({ agent: options.agent, forMs, limit })
  const short = await drey.search.shortIds(options.json || !recent ? [] : shownIds(recent))
  await drey.close()
  print(
    options,
    () => ({ ...toDocument(recent), unread }),
    () => (recent && !isEmpty(recent) ? toText(recent, short, { root: drey.root, most: limit }) : ""),
  )
  printReadProblems(trouble)
  if (!options.json) tellUnread(unread, recent?.sessions ?? [], options)
  if (recent && !isEmpty(recent)) return
  if (!options.json) printNotice([tellNothing(recent, options), ...(await knownAgents(options))].join(" "))
  process.exitCode = exitCode.no
}

function isEmpty({ sessions, entries, logs, notes, upkeep }: Recent): boolean {
  return sessions.length + entries.length + logs.length + notes.length + upkeep.length === 0
}

/** One line: why sessions may be missing from the output, and how to fix it. */
function tellUnread({ left, problem }: Unread, sessions: readonly RecentSession[], options: Options): void {
  const waiting = sessions.filter((session) => !session.isRunning && session.waiting > 0).length
  const isAll = options.since === undefined && options.for === undefined && options.agent === undefined
  if (problem !== undefined) printNotice(`drey: some sessions may be missing: ${problem}`)
  else if (left > 0)
    printNotice(`${count(left, "transcript")} changed and may contain more sessions. Read them: drey ingest`)
  else if (waiting > 0)
    printNotice(`Drey has not learned from ${count(waiting, "session")} above yet. To do so: drey ingest`)
  else if (isAll && sessions.length === 0) printNotice("No agent transcripts found for this repository.")
}

function tellNothing(recent: Recent | undefined, { agent, since, for: span = since }: Options): string {
  const ofAgent = agent === undefined ? "" : ` of ${agent}`
  if (recent?.newest === undefined) return `No dated records${ofAgent} found.`
  return `Nothing${ofAgent} in the last ${span}; the newest is from ${dayOf(recent.newest)}.`
}

/** A hint with the agents' names if the given name is unknown. */
async function knownAgents(options: Options): Promise<string[]> {
  const names =
    options.agent === undefined ? [] : (await openDrey(options).search.names("agents")).map(({ name }) => name)
  const isKnown = names.some((name) => name.toLowerCase() === options.agent?.toLowerCase())
  return names.length === 0 || isKnown ? [] : [`The team's agents: ${removeInvisible(names.join(", "))}.`]
}

function toDocument(recent: Recent | undefined): object {
  if (!recent) return { sessions: [], entries: [], logs: [], notes: [], upkeep: [], open: [], uncommitted: [] }
  return {
    from: new Date(recent.from).toISOString(),
    to: new Date(recent.to).toISOString(),
    sessions: recent.sessions.map(({ start, end, decided, ...session }) => {
      return {
        ...session,
        start: new Date(start).toISOString(),
        end: new Date(end).toISOString(),
        decided: decided.map(toEntry),
      }
    }),
    entries: recent.entries.map(toEntry),
    logs: recent.logs.map(({ path, topic, at }) => ({ path, topic, date: new Date(at).toISOString() })),
    notes: recent.notes.map((note) => {
      const { session, result } = note
      return { ...toEntry(note), session, ...(result === undefined ? {} : { result }) }
    }),
    upkeep: recent.upkeep.map(({ at, text }) => ({ date: new Date(at).toISOString(), text })),
    open: recent.open,
    uncommitted: recent.uncommitted,
  }
}

function toEntry({ id, source, type, title, author, path, line, at }: Recent["entries"][number]): object {
  const date = at === undefined ? {} : { date: new Date(at).toISOString() }
  return { id, source, type, title, author, path, line, ...date }
}

function shownIds({ sessions, entries, notes }: Recent): string[] {
  return [...sessions.flatMap(({ decided, learned }) => [...decided, ...learned]), ...entries, ...notes].map(
    ({ id }) => id,
  )
}

type ShortOf = (id: string) => string

/** `most`: of the entries, too, only the newest are shown. */
type LogExtent = { root: string; most: number | undefined }

function toText(recent: Recent, short: ShortOf, shown: LogExtent): string {
  const { sessions, logs, notes, open, upkeep } = recent
  const told = new Set(sessions.flatMap(({ decided }) => decided))
  const entries = recent.entries.filter((entry) => !told.has(entry))
  const isMore = entries.length + logs.length + notes.length + upkeep.length > 0
  const left = recent.uncommitted.length === 0 ? [] : [uncommittedText(recent.uncommitted)]
  const written = isMore ? [writtenText({ ...recent, entries, open }, short, shown)] : []
  return [...sessions.map((session) => sessionText(session, short)), ...written, ...left].join("\n\n")
}

function uncommittedText(files: readonly string[]): string {
  return `${colors.bold(`Not committed: ${count(files.length, "file")}`)}  ${removeInvisible(listFiles(files, width - 30))}`
}

/** The terminal's width, within limits. */
const width = Math.min(Math.max(process.stdout.columns ?? 120, 60), 160)
const labelWidth = 11

function sessionText({ decided, ...session }: RecentSession, short: ShortOf): string {
  const { name, start, end, isRunning, learned } = session
  const [from, to] = [localMinute(start), localMinute(end)]
  const until = from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to
  const facts = isRunning ? "still running" : describeDuration(end - start)
  const lines = describeSession(
    { ...session, learned: learned.map((memory) => ({ ...memory, id: short(memory.id) })) },
    { decided: decided.map((entry) => ({ ...entry, id: short(entry.id) })), width: width - labelWidth - 4 },
  )
  return [
    `${colors.bold(`${from} to ${until}  ${name}`)} ${colors.dim(`(${facts}, session ${removeInvisible(session.session).slice(0, 8)})`)}`,
    ...lines.map(({ label, text }) => `  ${paint(label)(label.padEnd(labelWidth))}  ${text}`),
  ].join("\n")
}

function paint(label: string): (text: string) => string {
  if (label === "done") return colors.green
  if (label === "failed" || label === "left open") return colors.red
  return label === "asked" || label === "files" ? colors.dim : colors.cyan
}

/** Entries, logs and notes in a line each. */
function writtenText(
  { from, to, entries: all, logs, notes, upkeep, open }: Recent,
  short: ShortOf,
  { root, most }: LogExtent,
): string {
  const days = [...new Set([dayOf(from), dayOf(to)])].join(" to ")
  const entries = all.slice(0, most)
  const counted: [number, string][] = [
    [
      all.length,
      `${entries.length < all.length ? `${entries.length} of ` : ""}${count(all.length, "entry", "entries")}`,
    ],
    [logs.length, count(logs.length, "log")],
    [notes.length, count(notes.length, "note of a session", "notes of sessions")],
  ]
  const counts = counted.flatMap(([number, text]) => (number > 0 ? [text] : []))
  const place = (author: string, path: string, line: number) => `${author}  ${pathFromHere(path, root)}:${line}`
  const toLine = ({ id, at, type, title, author, path, line }: Recent["entries"][number]): Line => {
    return { id: short(id), when: dayOf(at ?? 0), kind: typeName(type), told: title, place: place(author, path, line) }
  }
  const lines: Line[] = [
    ...entries.map(toLine),
    ...logs.map(({ at, topic, path }) => {
      return { id: "", when: dayOf(at), kind: "log", told: topic, place: pathFromHere(path, root) }
    }),
    ...notes.map((note) => ({ ...toLine(note), kind: [note.type, note.result].filter(Boolean).join(", ") })),
    ...upkeep.map(({ at, text }) => ({
      id: "",
      when: dayOf(at),
      kind: "upkeep",
      told: text,
      place: "drey undo --list",
    })),
    ...open.map(({ kind, text, agent, path, line }) => {
      return { id: "", when: "left open ", kind, told: text, place: place(agent, path, line) }
    }),
  ]
  const width = Math.max(8, ...lines.map(({ kind }) => kind.length))
  const idWidth = Math.max(0, ...lines.map(({ id }) => id.length))
  const shown = lines.map(({ id, when, kind, told, place }) => {
    const lead = `${colors.cyan(id.padEnd(idWidth))}  ${colors.dim(when)}  ${colors.green(kind.padEnd(width))} `
    return listLine(lead, toOneLine(told), place)
  })
  return [colors.bold(counts.length > 0 ? `${days}: ${counts.join(", ")}` : days), ...shown].join("\n")
}

type Line = { id: string; when: string; kind: string; told: string; place: string }
