import type { Command } from "commander"
import type { MemoryReport } from "../../drey/memories.ts"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import type { StoreReport } from "../../memories/report/quality-report.ts"
import { command } from "../command.ts"
import { parseCount } from "../option-values.ts"
import { colors } from "../output.ts"
import { type CommonOptions, count, formatNumber, print } from "../print.ts"

type Options = CommonOptions & { from?: string; examples: string; oldAfter: string }

export function reportCommand(): Command {
  return command(
    "report",
    "Check memory quality: junk, duplicates, stale entries and secrets. Checks this project's own memory, or another tool's with --from: a mem0 export (JSON), the reference memory server's JSON lines, or Markdown notes such as MEMORY.md or CLAUDE.md. Each memory is counted once, by the first problem found. Secrets are reported by rule and line, never by value. Read-only; sends nothing over the network.",
    "drey report\ndrey report --from ~/memory.jsonl\ndrey report --from MEMORY.md --examples 10\ndrey report --from exports/ --json",
  )
    .option("--from <path>", "another tool's file, or a folder of such files")
    .option("--examples <number>", "how many of each kind to show", "3")
    .option("--old-after <days>", "age at which a dated memory counts as old", "180")
    .action(report)
}

async function report({ from, examples, oldAfter, ...options }: Options): Promise<void> {
  const shown = parseCount(examples, "examples", 0, 100_000)
  const oldAfterDays = parseCount(oldAfter, "days", 1, 100_000)
  const drey = openDrey(options)
  const found = await drey.memories.report({ oldAfterDays, ...(from === undefined ? {} : { from }) })
  await drey.close()
  print(
    options,
    () => found,
    () => reportText(found, shown),
  )
  if (found.stores.every(({ memories }) => memories === 0)) process.exitCode = exitCode.no
}

/** A report as text: per store the findings by kind with examples, then what was skipped. */
function reportText({ stores, unread, helping }: MemoryReport, examples: number): string {
  const parts = stores.length === 0 ? ["No memories yet."] : stores.map((store) => storeText(store, examples))
  const skipped = unread.map(({ path, reason }) => `Skipped ${path}: ${reason}`)
  return [...parts, ...(helping ? [helpText(helping)] : []), ...(skipped.length > 0 ? [skipped.join("\n")] : [])].join(
    "\n\n",
  )
}

const formats: Record<StoreReport["format"], string> = {
  mem0: "an export of mem0",
  "server-memory": "the memory server's JSON lines",
  markdown: "notes in Markdown",
  entries: "decisions, inbox and histories",
  learned: "on trial or proven",
}

function storeText(store: StoreReport, examples: number): string {
  const { memories, counts, parts } = store
  const what = [formats[store.format], ...parts].join(", ")
  const head = `${colors.bold(store.path)}: ${count(memories, "memory", "memories")} (${what})`
  if (memories === 0) return [head, ...indented(brokenLines(store, examples))].join("\n")
  const row = (name: string, number: number) =>
    `  ${colors.bold(name.padEnd(12))}${formatNumber(number).padStart(6)}  ${share(number, memories)}`
  const list = <Item extends Found>(items: readonly Item[], words: Record<Item["kind"], string>, tell: Tell<Item>) =>
    kindLines(store, items, words, examples, tell)
  return [
    head,
    "",
    row("Sound", store.clean),
    row("Secrets", counts.secrets),
    ...secretLines(store, examples),
    row("Junk", counts.junk),
    ...list(store.junk, junkWords, ({ excerpt }) => excerpt || "(empty)"),
    row("Duplicates", counts.duplicates),
    ...list(
      store.duplicates,
      duplicateWords,
      ({ excerpt, of }) => `${excerpt}  ${colors.dim(`as ${placeText(store, of)}`)}`,
    ),
    row("Stale", counts.stale),
    ...list(store.stale, staleWords, ({ what: found, excerpt }) => `${found}  ${colors.dim(excerpt)}`),
    ...footnotes(store, examples),
  ].join("\n")
}

const junkWords: Record<StoreReport["junk"][number]["kind"], string> = {
  empty: "empty of content",
  greeting: "greetings",
  prompt: "prompt text, not the user's words",
  code: "code or logs",
  passing: "temporary tasks and states",
  truncated: "cut off",
}
const duplicateWords = { exact: "exact copies", near: "near-duplicates" }
const staleWords: Record<StoreReport["stale"][number]["kind"], string> = {
  gone: "name something that no longer exists",
  moved: "name something that has moved",
  past: "about a past date",
  old: "old",
}

type Found = { path: string; line: number; id?: string; kind: string }
type Tell<Item> = (item: Item) => string

/** Each kind that occurs with its number, and its first examples below it. */
function kindLines<Item extends Found>(
  store: StoreReport,
  items: readonly Item[],
  words: Record<Item["kind"], string>,
  examples: number,
  tell: Tell<Item>,
): string[] {
  return (Object.keys(words) as Item["kind"][]).flatMap((kind) => {
    const found = items.filter((item) => item.kind === kind)
    if (found.length === 0) return []
    const shown = found.slice(0, examples).map((item) => `      ${colors.cyan(placeText(store, item))}  ${tell(item)}`)
    return [`    ${words[kind]}: ${formatNumber(found.length)}`, ...shown]
  })
}

function secretLines(store: StoreReport, examples: number): string[] {
  const rules = [...new Set(store.secrets.map(({ rule }) => rule))]
  return rules.map((rule) => {
    const found = store.secrets.filter((secret) => secret.rule === rule)
    const places = found.slice(0, examples).map((each) => placeText(store, each))
    return `    ${rule}: ${formatNumber(found.length)}  ${colors.cyan(places.join(", "))}`
  })
}

function footnotes(store: StoreReport, examples: number): string[] {
  const { unknown, path, format, repository, counts } = store
  const names = [...new Set(unknown.map(({ what }) => what))]
  const more = names.length > examples ? ` and ${names.length - examples} more` : ""
  const lines = [
    ...brokenLines(store, examples),
    ...(isFoundTwice(store)
      ? ["Each memory counts once, in the first matching row; the lines below a row list everything found."]
      : []),
    ...(store.comparedByMeaning
      ? []
      : ["Too many memories to compare by meaning: only exact copies were checked, not near-duplicates."]),
    ...(repository === undefined ? ["No repository found, so files and commands were not checked."] : []),
    ...(names.length > 0 ? [`Never in this repository: ${names.slice(0, examples).join(", ")}${more}.`] : []),
    ...(counts.secrets > 0 ? ["Remove the secrets and rotate them: anyone who could read the file has them."] : []),
    ...(format === "server-memory" ? [`Preview an import with: drey import ${path} --dry-run`] : []),
  ]
  return indented(lines)
}

function indented(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", ...lines.map((line) => `  ${line}`)]
}

function brokenLines(store: StoreReport, examples: number): string[] {
  const { broken } = store
  if (broken.length === 0) return []
  const shown = broken.slice(0, examples).map((each) => `    ${colors.cyan(placeText(store, each))}  ${each.reason}`)
  return [`${colors.bold("Could not be read:")} ${count(broken.length, "place")}, not counted above.`, ...shown]
}

/** Whether the kinds below the rows add up to more than the rows. */
function isFoundTwice({ counts, secrets, junk, duplicates, stale }: StoreReport): boolean {
  const rows = counts.secrets + counts.junk + counts.duplicates + counts.stale
  return secrets.length + junk.length + duplicates.length + stale.length > rows
}

/** By its line where there is one file, and by its name where a line has several. */
function placeText({ path, format }: StoreReport, found: { path: string; line: number; id?: string }): string {
  if (found.line === 0) return found.path
  const isShared = format === "server-memory" || (format === "mem0" && found.line === 1)
  const owner = isShared && found.id !== undefined ? ` (${found.id})` : ""
  return `${found.path === path ? `line ${found.line}` : `${found.path}:${found.line}`}${owner}`
}

function share(number: number, of: number): string {
  const percent = (number / of) * 100
  return colors.dim(`${percent > 0 && percent < 1 ? "<1" : Math.round(percent)} %`.padStart(5))
}

function helpText({ withMemory, withoutMemory, tasks }: NonNullable<MemoryReport["helping"]>): string {
  const title = colors.bold("Is it helping?")
  if (withMemory === null || withoutMemory === null)
    return `${title} Not enough data yet: ${count(tasks, "task")} had memory.`
  return `${title} Tasks with memory have ${withMemory} errors on average, tasks without memory ${withoutMemory} (${count(tasks, "task")}).`
}
