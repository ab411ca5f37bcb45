import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { dropUnseen } from "../../formats/drop-unseen.ts"
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
    "Show what happened in the last session: the entries, learnings and logs it left behind, back to the last long pause.",
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

function isEmpty({ entries, logs }: Recent): boolean {
  return entries.length + logs.length === 0
}

function tellNothing(recent: Recent | undefined, options: Options): string {
  const ofAgent = options.agent === undefined ? "" : ` of ${options.agent}`
  if (recent?.newest === undefined) return `Nothing${ofAgent} with a date is on record.`
  return `Nothing${ofAgent} in the last ${options.for}; the newest is of ${dayOf(recent.newest)}.`
}

function toDocument(recent: Recent | undefined): object {
  if (!recent) return { entries: [], logs: [] }
  return {
    from: new Date(recent.from).toISOString(),
    to: new Date(recent.to).toISOString(),
    entries: recent.entries.map(({ id, source, type, title, author, path, line, at }) => ({
      id,
      source,
      type,
      title,
      author,
      path,
      line,
      ...(at === undefined ? {} : { date: new Date(at).toISOString() }),
    })),
    logs: recent.logs.map(({ path, topic, at }) => ({ path, topic, date: new Date(at).toISOString() })),
  }
}

function toText({ from, to, entries, logs }: Recent): string {
  const days = [...new Set([dayOf(from), dayOf(to)])].join(" to ")
  return [
    colors.bold(`${days}: ${count(entries.length, "entry", "entries")}, ${count(logs.length, "log")}`),
    ...entries.map(
      ({ at, type, title, author, path, line }) =>
        `${colors.cyan(dayOf(at ?? 0))}  ${colors.green(type.padEnd(9))}  ${dropUnseen(title)} ${colors.dim(dropUnseen(`— ${author}  ${path}:${line}`))}`,
    ),
    ...logs.map(
      ({ at, topic, path }) =>
        `${colors.cyan(dayOf(at))}  ${colors.green("log".padEnd(9))}  ${dropUnseen(topic)} ${colors.dim(dropUnseen(`— ${path}`))}`,
    ),
  ].join("\n")
}
