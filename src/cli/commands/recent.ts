import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { dropUnseen } from "../../formats/drop-unseen.ts"
import { toOneLine } from "../../formats/memory-text.ts"
import { parseDuration } from "../../formats/parse-duration.ts"
import { dayOf } from "../../formats/timestamp.ts"
import type { Recent } from "../../recall/recent.ts"
import { colors } from "../colors.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print, tell } from "../print.ts"
import { tellTrouble } from "../tell-trouble.ts"

type Options = CommonOptions & { agent?: string; for?: string }

export function recentCommand(): Command {
  return command(
    "recent",
    "Show what happened in the last session: the entries, learnings and logs it left behind, what agents found, tried and decided in working sessions, and what they left open; back to the last long pause.",
    "drey recent\ndrey recent --agent kane --for 7d",
  )
    .option("--agent <name>", "only what this agent wrote")
    .option("--for <time>", "instead of the last session: the last 24h, 7d, 2w or 3m")
    .addOption(new Option("--session <session>", "which session").choices(["last"]).default("last"))
    .action(showRecent)
}

async function showRecent(options: Options): Promise<void> {
  const forMs = options.for === undefined ? undefined : parseDuration(options.for)
  if (options.for !== undefined && forMs === undefined)
    throw new DreyError(`"${options.for}" is not a time`, { hint: "Write it as 24h, 7d, 2w or 3m." })
  const { recent, ...trouble } = await openDrey(options).recent({ agent: options.agent, forMs })
  print(
    options,
    () => toDocument(recent),
    () => (recent && !isEmpty(recent) ? toText(recent) : ""),
  )
  tellTrouble(trouble)
  if (recent && !isEmpty(recent)) return
  if (!options.json) tell(tellNothing(recent, options))
  process.exitCode = exitCode.no
}

function isEmpty({ entries, logs, notes }: Recent): boolean {
  return entries.length + logs.length + notes.length === 0
}

function tellNothing(recent: Recent | undefined, options: Options): string {
  const ofAgent = options.agent === undefined ? "" : ` of ${options.agent}`
  if (recent?.newest === undefined) return `Nothing${ofAgent} with a date is on record.`
  return `Nothing${ofAgent} in the last ${options.for}; the newest is of ${dayOf(recent.newest)}.`
}

function toDocument(recent: Recent | undefined): object {
  if (!recent) return { entries: [], logs: [], notes: [], open: [] }
  return {
    from: new Date(recent.from).toISOString(),
    to: new Date(recent.to).toISOString(),
    entries: recent.entries.map(toEntry),
    logs: recent.logs.map(({ path, topic, at }) => ({ path, topic, date: new Date(at).toISOString() })),
    notes: recent.notes.map((note) => {
      const { session, result } = note
      return { ...toEntry(note), session, ...(result === undefined ? {} : { result }) }
    }),
    open: recent.open,
  }
}

function toEntry({ id, source, type, title, author, path, line, at }: Recent["entries"][number]): object {
  const date = at === undefined ? {} : { date: new Date(at).toISOString() }
  return { id, source, type, title, author, path, line, ...date }
}

function toText({ from, to, entries, logs, notes, open }: Recent): string {
  const days = [...new Set([dayOf(from), dayOf(to)])].join(" to ")
  const counts = [count(entries.length, "entry", "entries"), count(logs.length, "log")]
  if (notes.length > 0) counts.push(count(notes.length, "note of a session", "notes of sessions"))
  const lines: Line[] = [
    ...entries.map(toLine),
    ...logs.map(({ at, topic, path }) => ({ when: dayOf(at), kind: "log", told: topic, place: path })),
    ...notes.map((note) => ({ ...toLine(note), kind: [note.type, note.result].filter(Boolean).join(", ") })),
    ...open.map(({ kind, text, agent, path, line }) => {
      return { when: "left open ", kind, told: text, place: `${agent}  ${path}:${line}` }
    }),
  ]
  const width = Math.max(9, ...lines.map(({ kind }) => kind.length))
  const shown = lines.map(({ when, kind, told, place }) => {
    const origin = colors.dim(dropUnseen(`— ${place}`))
    return `${colors.cyan(when)}  ${colors.green(kind.padEnd(width))}  ${toOneLine(told)} ${origin}`
  })
  return [colors.bold(`${days}: ${counts.join(", ")}`), ...shown].join("\n")
}

type Line = { when: string; kind: string; told: string; place: string }

function toLine({ at, type, title, author, path, line }: Recent["entries"][number]): Line {
  return { when: dayOf(at ?? 0), kind: type, told: title, place: `${author}  ${path}:${line}` }
}
