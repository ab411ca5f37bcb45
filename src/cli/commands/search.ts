import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { formatQuery, parseQuery, type Query, queryKeys, querySources, quoteValue } from "../../formats/query.ts"
import { didYouMean, removeInvisible } from "../../formats/text.ts"
import { dayOf } from "../../formats/timestamp.ts"
import { isRunByAgent } from "../../hooks/acting-agent.ts"
import { indexHistoryInBackground } from "../../hooks/background-process.ts"
import type { SearchHit } from "../../recall/search/item-search.ts"
import { command } from "../command.ts"
import { parseCount, parseMoment, parseSince } from "../option-values.ts"
import { colors } from "../output.ts"
import { type CommonOptions, count, pathFromHere, print, printNotice, printReadProblems, typeName } from "../print.ts"

type Options = CommonOptions & {
  agent?: string
  source?: string
  all?: boolean
  asOf?: string
  limit?: string
  since?: string
}

export function searchCommand(): Command {
  return command(
    "search",
    "Search the team's memory by words and meaning, best match first: decisions, inbox, archives, histories, skills, governed and learned memory, and session notes.",
    'drey search "database choices" --all\ndrey search authentication --agent kane\ndrey search \'type:decision after:2026-02-01 "single quotes"\' --json',
  )
    .argument(
      "<text...>",
      'words, "a phrase", -not, and filters such as type:decision author:Kane tag:api after:2026-02-01',
    )
    .option("--agent <name>", "only this agent's memory")
    .addOption(new Option("--source <source>", "only results from this source").choices(querySources))
    .option("--all", "include archived and superseded items")
    .option("--as-of <date>", "the memory as of this date or time")
    .option("-n, --limit <number>", "maximum number of results", "20")
    .option("--since <time>", "since this date or time, or within the last 24h, 7d, 2w or 3m")
    .option("-q, --quiet", "print only the ids")
    .action(showResults)
}

async function showResults(words: string[], options: Options): Promise<void> {
  if (words.join("").trim() === "" && options.source === undefined && options.since === undefined)
    throw new DreyError("Nothing to search for", { hint: "List all entries with: drey list" })
  const drey = openDrey({ ...options, automatic: isRunByAgent() })
  const hits = await drey.search.items({
    query: toQuery(words, options),
    agent: options.agent,
    all: options.all,
    asOf: options.asOf === undefined ? undefined : parseMoment(options.asOf),
    limit: parseCount(options.limit ?? "20", "results", 1, 1000),
  })
  const ids = options.json
    ? []
    : hits.hits.flatMap(({ id, source, supersededBy }) => (past.has(source) ? [] : [id, ...supersededBy]))
  const short = await drey.search.shortIds(ids)
  print(
    options,
    () => hits.hits.map(toDocument),
    () => hits.hits.map((hit) => toText(hit, short, drey.root)).join("\n\n"),
    () => hits.hits.map(({ id }) => id).join("\n"),
  )
  if (!options.json && !options.quiet)
    printNotice(colors.dim(hits.hits.length === 0 ? "Nothing found." : count(hits.hits.length, "result")))
  if ((hits.unindexed ?? 0) > 0) {
    indexHistoryInBackground({ program: process.argv[1] ?? "", root: drey.root, environment: process.env })
    printNotice(
      `${count(hits.unindexed ?? 0, "commit")} not indexed yet: this continues in the background. Search again to find all.`,
    )
  }
  printReadProblems(hits)
  if (hits.hits.length === 0) process.exitCode = exitCode.no
}

/** Of another index, whose ids are shown whole. */
const past = new Set(["conversation", "commit"])

function toQuery(words: string[], { source, since }: Options): Query {
  const text = words.map((word) => (/\s/.test(word) && words.length > 1 ? quoteValue(word) : word)).join(" ")
  const filters = [
    ...(source === undefined ? [] : [`source:${source}`]),
    ...(since === undefined ? [] : [`after:${parseSince(since).toISOString()}`]),
  ]
  return parseTolerantly([...filters, text].join(" ")) // before a quote that is never closed
}

/** Text that only looks like query syntax (`http://…`, a stray quote) is searched literally; a filter with an invalid value is an error. */
function parseTolerantly(text: string): Query {
  const parsed = parseQuery(text)
  if (parsed.kind === "query") return parsed.query
  const wrong = parsed.problems.find(({ start, end }) => isFilter(text.slice(start, end)))
  if (wrong) throw new DreyError(wrong.message)
  let literal = text
  for (const { start, end } of [...parsed.problems].reverse()) {
    const terms = literal.slice(start, end).replaceAll('"', " ").trim().split(/\s+/)
    const quoted = formatQuery({ filters: [], terms: terms.map((term) => ({ text: term, negated: false })) })
    literal = `${literal.slice(0, start)} ${quoted} ${literal.slice(end)}`
  }
  const again = parseQuery(literal)
  if (again.kind === "query") return again.query
  throw new DreyError(again.problems.map(({ message }) => message).join(" "))
}

function isFilter(text: string): boolean {
  const key = /^-?([A-Za-z]+):/.exec(text)?.[1]?.toLowerCase()
  return key !== undefined && (queryKeys.some((known) => known === key) || didYouMean(key, queryKeys) !== undefined)
}

function toDocument({ at, ...hit }: SearchHit): object {
  return { ...hit, ...(at === undefined ? {} : { date: new Date(at).toISOString() }) }
}

function toText(found: SearchHit, short: (id: string) => string, root: string): string {
  const hit = { ...found, title: removeInvisible(found.title), author: removeInvisible(found.author) }
  const date = hit.at === undefined ? "undated" : dayOf(hit.at)
  const title = hit.supersededBy.length > 0 ? colors.strikethrough(hit.title) : colors.bold(hit.title)
  const successors = hit.supersededBy.map((id) => `superseded by ${short(id)}`)
  const place = hit.path === "" ? [] : [`${removeInvisible(pathFromHere(hit.path, root))}:${hit.line}`]
  const by = hit.sharedBy === undefined ? hit.author : `shared by ${removeInvisible(hit.sharedBy)}`
  const origin = [kindOf(hit), by, date, ...place, ...successors].join(" · ")
  const head = `${title} ${colors.dim(`[${short(hit.id)}]`)}\n  ${colors.dim(origin)}`
  return hit.snippet === found.title ? head : `${head}\n  ${highlight(hit)}` // a one-sentence item has no further text
}

/** Marks proposed, archived and learned items, so that they are not mistaken for active decisions. */
function kindOf({ type, source, result }: SearchHit): string {
  const isPlain =
    source === type || type === "merge" || source === "decisions" || source === "history" || source === `${type}s`
  const kind = result === undefined ? typeName(type) : `${typeName(type)}, ${result}`
  return isPlain ? kind : `${kind} (${source})`
}

function highlight({ snippet, highlights }: SearchHit): string {
  let text = ""
  let from = 0
  for (const { start, end } of highlights) {
    text += removeInvisible(snippet.slice(from, start)) + colors.yellow(removeInvisible(snippet.slice(start, end)))
    from = end
  }
  return text + removeInvisible(snippet.slice(from))
}
