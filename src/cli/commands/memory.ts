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
import { parseMomentTimestamp } from "../option-values.ts"
import { colors, writeJson } from "../output.ts"
import { type CommonOptions, count, print, printNotice, printReadProblems } from "../print.ts"
import {
  type MemoryOutput,
  memoryAuditCommand,
  memoryClassifyCommand,
  memoryDeleteCommand,
  memoryListCommand,
  memoryPromoteCommand,
  memoryProviderCommand,
  memoryReadCommand,
  memoryReindexCommand,
  memorySearchCommand,
  memoryWriteCommand,
  processOutput,
} from "./memory-subcommands.ts"

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
}

/** Lists entries by default; its subcommands work on governed memory. */
export function memoryCommand(face: MemoryOutput = processOutput): Command {
  const memory = command(
    "memory",
    "List the team's entries: decisions, directives, notes and memories, from decisions, inbox, archives and histories, in SEM or any legacy style.",
    "drey memory --type decision --author Keaton --after 2026-02-01 --tags v0.3.0\ndrey memory 'type:directive \"single quotes\"' --json",
  )
    .argument(
      "[query...]",
      'words and filters: type:decision author:Kane tag:api scope:team source:inbox after:2026-02-01 "a phrase" -not',
    )
    .optionsGroup("Filters:")
    .addOption(new Option("--type <type>", "only entries of this type").choices(entryTypes))
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
    .action(listEntries)
    .enablePositionalOptions() // options after a subcommand's name belong to the subcommand
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

async function listEntries(words: string[], options: Options, memory: Command): Promise<void> {
  const query = toQuery(words, options)
  const asOf = options.asOf === undefined ? undefined : parseMomentTimestamp(options.asOf)
  const drey = openDrey(options)
  const { entries, ...trouble } = await drey.search.entries(query, {
    all: options.all === true,
    ...(asOf === undefined ? {} : { asOf }),
  })
  if (options.seedSchema) {
    const times = new Map(entries.map(({ id, entry }) => [id, entry.timestamp]))
    return writeJson(entries.map(({ entry }) => toSeedJson(entry, (id) => times.get(id))))
  }
  print(
    options,
    () => entries.map(toDocument),
    () => entries.map(toLine).join("\n"),
  )
  if (!options.json)
    printNotice(colors.dim(entries.length === 0 ? "No entries match." : count(entries.length, "entry", "entries")))
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

function toLine({ entry, path, line, supersededBy }: StoreEntry): string {
  const date = dateOf(entry.timestamp) === undated ? "undated   " : dateOf(entry.timestamp)
  const title = supersededBy.length > 0 ? colors.strikethrough(entry.title) : entry.title
  return `${colors.cyan(date)}  ${colors.green(entry.type.padEnd(9))}  ${title} ${colors.dim(`— ${entry.author}  ${path}:${line}`)}`
}
