import { Argument, type Command } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import type { ConversionPlan, ConversionResult } from "../../team/conversion/conversion.ts"
import type { ConversionRecord } from "../../team/conversion/file-conversion.ts"
import { command, commandGroup } from "../command.ts"
import { colors, writeDocument, writeJson } from "../output.ts"
import { type CommonOptions, count, formatNumber, print, printNotice, progressBar } from "../print.ts"

type Options = CommonOptions & {
  dryRun?: boolean
  includeReview?: boolean
  archives?: boolean
  bullets?: boolean
  dedupe?: boolean
  verbose?: boolean
  reviewOut?: string
  reviewIn?: string
  undo?: string
}

export function convertMemoryCommand(): Command {
  return command(
    "convert-memory",
    "Convert entries in older styles to SEM, the format that Drey writes: shows a plan, keeps a backup, converts what is certain and leaves the rest unchanged. Safe to run again. Exit code 1 when entries need review or a file failed.",
    "drey convert-memory --dry-run\ndrey convert-memory\ndrey convert-memory --undo 20261115T220600Z",
  )
    .option("--dry-run", "show the plan and write nothing")
    .option("--include-review", "convert entries that need review too, marked with a review field")
    .option("--archives", "also convert archives")
    .option("--bullets", "also convert undated bullets in histories, dated by git if possible")
    .option("--dedupe", "drop later exact copies of an entry")
    .option("--review-out <file>", "write what needs review as JSON, with the question for each")
    .option("--review-in <file>", "apply the answers from this file")
    .option("--undo <time>", "restore what the conversion at that time replaced")
    .option("-v, --verbose", "show each entry's location and result")
    .action(convertMemory)
}

async function convertMemory(options: Options): Promise<void> {
  const drey = openDrey(options)
  if (options.undo !== undefined) {
    const { restored } = await drey.team.conversion.undo(options.undo)
    print(
      options,
      () => ({ restored }),
      () => (restored.length === 0 ? "Nothing to restore." : restored.map((path) => `Restored ${path}.`).join("\n")),
    )
    return
  }
  const answers = options.reviewIn === undefined ? undefined : await drey.team.conversion.readReview(options.reviewIn)
  const bar = progressBar("Reading")
  const plan = await drey.team.conversion.plan({
    includeReview: options.includeReview === true,
    archives: options.archives === true,
    bullets: options.bullets === true,
    dedupe: options.dedupe === true,
    ...(answers === undefined ? {} : { answers }),
    onFile: bar.update,
  })
  bar.end()
  if (options.reviewOut !== undefined) {
    const questions = await drey.team.conversion.writeReview(options.reviewOut, plan)
    printNotice(`Wrote ${count(questions, "question")} to ${options.reviewOut}.`)
  }
  const result: ConversionResult = options.dryRun
    ? { backups: [], converted: [], failed: plan.failed }
    : await drey.team.conversion.apply(plan)
  print(
    options,
    () => toDocument(plan, result, options),
    () => toText(plan, result, options),
  )
  const left = leftCounts(recordsOf(plan))
  if (left && !options.json) printNotice(`Left unchanged: ${left}.`)
  for (const { message } of result.failed) printNotice(`drey: left unchanged: ${message}`)
  for (const { file, forbidden } of recordsOf(plan)) {
    if (forbidden)
      printNotice(`drey: ${file}:${forbidden.line} looks like ${forbidden.reason}; its entry was not converted`)
  }
  const known = new Set(recordsOf(plan).map(({ id }) => id))
  const lost = [...(answers?.keys() ?? [])].filter((id) => !known.has(id))
  if (lost.length > 0)
    printNotice(
      `drey: ${count(lost.length, "answer")} in ${options.reviewIn} matches no legacy entry: ${lost.join(", ")}`,
    )
  const open = lost.length > 0 || recordsOf(plan).some((record) => record.level === "review" && !record.converted)
  if (open || result.failed.length > 0) process.exitCode = exitCode.no
}

function recordsOf(plan: ConversionPlan): ConversionRecord[] {
  return plan.files.flatMap(({ records }) => records)
}

function totalsOf(records: ConversionRecord[]): { entries: number; converted: number; review: number; left: number } {
  return {
    entries: records.length,
    converted: records.filter(({ converted }) => converted).length,
    review: records.filter(({ level, converted }) => level === "review" && !converted).length,
    left: records.filter(({ level }) => level === "left").length,
  }
}

function toDocument(plan: ConversionPlan, result: ConversionResult, options: Options): object {
  return {
    dryRun: options.dryRun === true,
    totals: totalsOf(recordsOf(plan)),
    files: plan.files.map(({ file, records }) => ({ path: file.path, ...totalsOf(records) })),
    records: recordsOf(plan),
    backups: result.backups,
    failed: result.failed,
  }
}

function toText(plan: ConversionPlan, result: ConversionResult, options: Options): string {
  const lines: string[] = []
  for (const { file, records } of plan.files) {
    const shown = records.filter(({ level }) => level !== "left")
    if (shown.length === 0) continue
    lines.push(`Converting ${file.path}...`)
    for (const [index, record] of shown.entries()) lines.push(...toLines(record, index + 1, options.verbose === true))
    lines.push("")
  }
  const records = recordsOf(plan).filter(({ level }) => level !== "left")
  const automatic = records.filter(({ level }) => level === "auto").length
  const review = records.filter(({ level }) => level === "review")
  const open = review.filter(({ converted }) => !converted).length
  if (records.length === 0)
    lines.push(plan.failed.length > 0 ? "Nothing was converted." : "No legacy entries to convert.")
  else lines.push(`${formatNumber(automatic)} of ${count(records.length, "entry", "entries")} converted automatically.`)
  if (review.length > open)
    lines.push(`${count(review.length - open, "reviewed entry", "reviewed entries")} converted.`)
  if (open > 0)
    lines.push(open === 1 ? "1 entry needs manual review." : `${formatNumber(open)} entries need manual review.`)
  if (options.dryRun && records.length > 0) lines.push("", "Run without --dry-run to apply changes.")
  for (const backup of result.backups) lines.push("", `Backup written to ${backup}.`)
  return lines.join("\n")
}

/** `12 (undated bullet), 3 (team update)`. */
function leftCounts(records: ConversionRecord[]): string {
  const counts = new Map<string, number>()
  for (const { level, reasons } of records) {
    if (level !== "left") continue
    const reason = (reasons[0] ?? "").replace(/^line \d+ /, "a line ")
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(([reason, number]) => `${number} (${reason})`).join(", ")
}

function toLines(record: ConversionRecord, number: number, verbose: boolean): string[] {
  const state =
    record.level === "auto"
      ? `  ✅ Entry ${number}: ${record.reasons.includes("exact copy dropped") ? "Dropped (exact copy)" : "Auto-converted (high confidence)"}`
      : record.converted
        ? `  ✅ Entry ${number}: Converted after review (${record.reasons.join(", ")})`
        : `  ⚠️  Entry ${number}: Needs review (${record.reasons.join(", ")})`
  if (!verbose) return [state]
  const fields = `${record.type} by ${record.author} (${record.authorSource}), ${record.timestamp.slice(0, 10)} (${record.dateSource})`
  return [state, colors.dim(`       line ${record.line}: ${record.heading}`), colors.dim(`       → ${fields}`)]
}

const siblings = ["session-context", "session-conversation", "session-plan", "session-metadata"] as const
const all = ["entry", "agent-memory", ...siblings] as const

export function schemaCommand(): Command {
  return command(
    "schema",
    "Print a JSON Schema: of an entry's JSON form, of an agent's session memory (agent-memory.yaml), or of one of the other session files (context.yaml, conversation.yaml, plan.yaml, metadata.yaml).",
    "drey schema > sem.schema.json\ndrey schema agent-memory\ndrey schema session-plan",
  )
    .addArgument(new Argument("[of]", "what it describes").choices(all).default("entry"))
    .action(async (of: (typeof all)[number]) => {
      writeJson(await schemaOf(of))
    })
}

async function schemaOf(of: (typeof all)[number]): Promise<object> {
  if (of === "entry") return (await import("../../formats/entry-schema.ts")).entryJsonSchema()
  const { agentMemoryJsonSchema, siblingJsonSchema } = await import("../../formats/session/session-json-schema.ts")
  return of === "agent-memory" ? agentMemoryJsonSchema() : siblingJsonSchema(of)
}

type OptionsView = CommonOptions & { out?: string }

export function viewCommand(): Command {
  return commandGroup("view", "Write the team folder in another tool's format.", "drey view squadui").addCommand(
    command(
      "squadui",
      "Write the team's decisions, roster, agents and skills in the format that SquadUI, Squad's extension for VS Code, reads. The view is generated; Drey never reads it.",
      "drey view squadui --out view   # then open the folder view in VS Code",
    )
      .option("--out <dir>", "write everything that SquadUI shows to <dir>/.squad instead of printing the decisions")
      .action(showSquadUi),
  )
}

async function showSquadUi(options: OptionsView): Promise<void> {
  const {
    text,
    path,
    files = [],
  } = await openDrey(options).team.squadUiView(options.out === undefined ? {} : { out: options.out })
  if (path === undefined && !options.json) return writeDocument(text.endsWith("\n") ? text : `${text}\n`)
  print(
    options,
    () => (path === undefined ? { text } : { path, bytes: Buffer.byteLength(text), files }),
    () => `Wrote ${path} and ${count(files.length - 1, "other file")}.`,
  )
}
