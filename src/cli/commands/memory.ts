import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError } from "../../errors.ts"
import { entryTypes } from "../../formats/entry.ts"
import { toEntryJson, toSeedJson } from "../../formats/entry-json.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { parseQuery, type Query, quoteValue } from "../../formats/query.ts"
import { didYouMean } from "../../formats/text.ts"
import { dateOf } from "../../formats/timestamp.ts"
import type { StoreEntry } from "../../team/team-entries.ts"
import { command } from "../command.ts"
import { parseCount, parseMomentTimestamp, parseSince } from "../option-values.ts"
import { colors, writeJson } from "../output.ts"
import {
  type CommonOptions,
  count,
  listLine,
  pathFromHere,
  print,
  printNotice,
  printReadProblems,
  typeName,
} from "../print.ts"
import { type MemoryOutput, processOutput } from "./memory-output.ts"
import {
  memoryClassifyCommand,
  memoryDeleteCommand,
  memoryListCommand,
  memoryPromoteCommand,
  memoryReadCommand,
  memorySearchCommand,
  memoryWriteCommand,
} from "./memory-subcommands.ts"
import { memoryAuditCommand, memoryProviderCommand, memoryReindexCommand } from "./memory-upkeep.ts"

type Options = CommonOptions & {
  type?: string
  author?: string
  after?: string
  before?: string
  tags?: string
  scope?: string
  source?: string
  recent?: string
  asOf?: string
  all?: boolean
  seedSchema?: boolean
  limit?: string
  since?: string
}

export function listCommand(): Command {
  return listingCommand(
    "list",
    "List entries, newest first: rules, decisions, notes and memories, from decisions, inbox, archives and histories. Filter them by words or options.",
    "drey list\ndrey list --type decision --since 7d\ndrey list 'type:directive \"single quotes\"' -n 5",
  )
}

/** Lists entries by default; its subcommands work on governed memory. */
export function memoryCommand(face: MemoryOutput = processOutput): Command {
  const memory = listingCommand(
    "memory",
    "List the team's entries, same as drey list; its subcommands have the names and the JSON of Squad's memory.",
    "drey memory --type decision --author Keaton --after 2026-02-01 --tags v0.3.0\ndrey memory 'type:directive \"single quotes\"' --json",
  ).enablePositionalOptions() // options after a subcommand's name belong to the subcommand
  for (const subcommand of [
    memoryClassifyCommand(face),
    memoryWriteCommand(face),
    memorySearchCommand(face),
    memoryListCommand(face),
    memoryReadCommand(face),
    memoryPromoteCommand(face),
    memoryDeleteCommand(face),
    memoryAuditCommand(face),
    memoryProviderCommand(face),
    memoryReindexCommand(face),
  ]) {
    memory.addCommand(subcommand)
  }
  return memory
}

function listingCommand(name: string, description: string, example: string): Command {
  return command(name, description, example)
    .argument(
      "[query...]",
      'words and filters: type:decision author:Kane tag:api scope:team source:inbox after:2026-02-01 "a phrase" -not',
    )
    .optionsGroup("Filters:")
    .addOption(new Option("--type <type>", "only entries of this type").choices(["rule", ...entryTypes]))
    .option("--author <name>", "only entries this person or agent wrote or contributed to")
    .option("--after <date>", "on or after this date or time")
    .option("--before <date>", "before this date or time")
    .option("--tags <tags>", "comma-separated; entries must have all of them")
    .option("--scope <scope>", "team, project, agent:<name> or skill:<name>")
    .addOption(
      new Option("--source <source>", "only entries from this source").choices([
        "decisions",
        "inbox",
        "archive",
        "history",
      ]),
    )
    .option("--recent <time>", "within the last 24h, 7d, 2w or 3m")
    .option("--as-of <date>", "the entries as of this date or time")
    .option("--all", "include superseded entries")
    .option("--seed-schema", "print JSON in the schema of the original SEM proposal: tags as text, one supersedes")
    .option("-n, --limit <number>", "only the newest")
    .option("--since <time>", "since this date or time, or within the last 24h, 7d, 2w or 3m")
    .option("-q, --quiet", "print only the ids")
    .action(listEntries)
}

async function listEntries(words: string[], options: Options, memory: Command): Promise<void> {
  const query = toQuery(words, options)
  const asOf = options.asOf === undefined ? undefined : parseMomentTimestamp(options.asOf)
  const drey = openDrey(options)
  const most = options.limit === undefined ? undefined : parseCount(options.limit, "entries", 1, 1_000_000)
  const { entries: found, ...trouble } = await drey.search.entries(query, {
    all: options.all === true,
    ...(asOf === undefined ? {} : { asOf }),
  })
  const entries = found.slice(0, most)
  const short = await drey.search.shortIds(options.json || options.quiet ? [] : entries.map(({ id }) => id))
  if (options.seedSchema) {
    const times = new Map(entries.map(({ id, entry }) => [id, entry.timestamp]))
    return writeJson(entries.map(({ entry }) => toSeedJson(entry, (id) => times.get(id))))
  }
  print(
    options,
    () => entries.map(toDocument),
    () => entriesText(entries, short, drey.root),
    () => entries.map(({ id }) => id).join("\n"),
  )
  if (!options.json && !options.quiet)
    printNotice(colors.dim(entries.length === 0 ? "No entries match." : countText(entries.length, found.length)))
  if (!options.json && entries.length === 0) tellMeant(words, memory)
  printReadProblems(trouble)
}

/** A mistyped subcommand is parsed as a query word. */
function tellMeant([first = ""]: string[], memory: Command): void {
  const names = memory.commands.map((subcommand) => subcommand.name())
  const meant = didYouMean(first, names)
  if (meant !== undefined) printNotice(`Did you mean drey memory ${meant}?`)
}

/** The flags are another spelling of the query language. */
function toQuery(words: string[], options: Options): Query {
  const filters: string[] = []
  const add = (key: string, value: string | undefined) => {
    if (value !== undefined) filters.push(`${key}:${quoteValue(value)}`)
  }
  add("type", options.type)
  add("author", options.author)
  add("after", options.after)
  add("before", options.before)
  for (const tag of options.tags?.split(",") ?? []) add("tag", tag.trim())
  add("scope", options.scope)
  add("source", options.source)
  add("recent", options.recent)
  if (options.since !== undefined) add("after", parseSince(options.since).toISOString())
  const parsed = parseQuery([...filters, ...words].join(" "))
  if (parsed.kind === "query") return parsed.query
  throw new DreyError(parsed.problems.map(({ message }) => message).join(" "))
}

function toDocument(item: StoreEntry): object {
  const supersededBy = [...new Set([...item.entry.supersededBy, ...item.supersededBy])]
  const { path, line, endLine, source, format } = item
  const document = { ...toEntryJson({ ...item.entry, supersededBy }, item.id), path, line, endLine, source, format }
  if (item.format === "sem") return document
  const { reasons } = item.reading
  return { ...document, unit: item.unit, confidence: reasons.length === 0 ? "high" : "review", reasons }
}

function countText(shown: number, found: number): string {
  return shown === found ? count(found, "entry", "entries") : `${shown} of ${count(found, "entry", "entries")}`
}

/** A line each, with the shortest ids that can be typed. */
function entriesText(entries: readonly StoreEntry[], short: (id: string) => string, root: string): string {
  const idWidth = Math.max(...entries.map(({ id }) => short(id).length), 0)
  return entries
    .map(({ id, entry, path, line, supersededBy }) => {
      const date = dateOf(entry.timestamp) === undated ? "undated   " : dateOf(entry.timestamp)
      const type = colors.green(typeName(entry.type).padEnd(8))
      const lead = `${colors.cyan(short(id).padEnd(idWidth))}  ${colors.dim(date)}  ${type} `
      const mark = supersededBy.length > 0 ? "superseded, " : ""
      return listLine(lead, entry.title, `${mark}${entry.author}  ${pathFromHere(path, root)}:${line}`)
    })
    .join("\n")
}
