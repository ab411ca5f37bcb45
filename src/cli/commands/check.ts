import { type Command, Option } from "commander"
import { type Drey, openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import type { Check } from "../../formats/check.ts"
import type { Reindexing } from "../../recall/sync/index-rebuild.ts"

import type { ScrubFinding, ScrubPlan } from "../../team/scrub.ts"
import type { FileDiagnostic, Validation } from "../../team/validation.ts"
import { command } from "../command.ts"
import { colors, toJson, writeOut } from "../output.ts"
import {
  type CommonOptions,
  count,
  formatNumber,
  print,
  printNotice,
  printReadProblems,
  progressBar,
} from "../print.ts"
import { stalenessText } from "./show.ts"

export function checkCommand(): Command {
  return command(
    "check",
    "Check that all is well: files, entries, references, governed memory, audit, sizes, secrets, git, the index, connected agents, and whether the files, commands and symbols that items name are still there. Prints what needs attention; changes nothing without --fix. Exit code 1 when a check fails.",
    "drey check\ndrey check --verbose\ndrey check --fix\ndrey check --bundle",
  )
    .aliases(["doctor", "health"])
    .option("--verbose", "every check, also those that pass")
    .option(
      "--fix",
      "repair what is safe: merge what needs no review, update what Drey installed, accept audit lines that git removed, rebuild the indexes",
    )
    .option("--reindex", "rebuild the search index; the same as drey reindex")
    .option(
      "--bundle [file]",
      "write a JSON file for a bug report: versions, results of the checks, settings without private values, sizes and recent log lines; no text of memories; default: drey-report.json",
    )
    .action(check)
}

declare const DREY_VERSION: string

type CheckOptions = CommonOptions & { bundle?: string | true; verbose?: boolean; fix?: boolean; reindex?: boolean }

async function check(options: CheckOptions): Promise<void> {
  if (options.bundle !== undefined) return writeBundle(options, options.bundle)
  if (options.reindex) return rebuild(options)
  const drey = openDrey(options)
  const fixed = options.fix ? await fixAll(drey) : []
  const checks = await drey.team.check()
  await drey.close()
  print(
    options,
    () => (options.fix ? { fixed, checks } : { checks }),
    () => [...fixed.map((line) => `Fixed: ${line}`), toText(checks, options.verbose === true)].join("\n"),
  )
  if (checks.some(({ status }) => status === "fail")) process.exitCode = exitCode.no
}

/** Repairs what needs no decision, and returns what changed. */
async function fixAll(drey: Drey): Promise<string[]> {
  if (!drey.hasTeamFolder) return [] // the check says what to do
  const { steps } = await drey.team.setUp.apply(await drey.team.setUp.plan({ command: "upgrade" }))
  const merged = await drey.team.merge()
  const chains = await drey.governed.repairAudit()
  const { entries } = await drey.governed.reindex()
  const { stats } = await drey.search.reindex()
  return [
    ...steps.filter(({ change }) => change !== "kept").map(({ change, path }) => `${change} ${path}`),
    ...merged.actions.map(({ target, description }) => `${target}: ${description}`),
    ...(chains > 0 ? [`accepted that git removed the end of ${count(chains, "audit chain")}`] : []),
    `rebuilt the indexes of ${count(stats.items, "item")} and ${count(entries, "governed memory", "governed memories")}`,
  ]
}

async function writeBundle(options: CommonOptions, named: string | true): Promise<void> {
  const path = named === true ? "drey-report.json" : named
  const { team } = openDrey(options)
  const report = await team.bugReport(typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0")
  await team.saveAs(path, `${toJson(report)}\n`)
  const lines = report.log.reduce((sum, { lines }) => sum + lines.length, 0)
  print(
    options,
    () => ({ path, parts: Object.keys(report) }),
    () =>
      [
        `Wrote ${path}. It contains:`,
        "  versions of Drey, Node and the system",
        `  ${count(report.checks.length, "check")} with their results; what they found is left out`,
        "  settings, and the names of DREY_ variables; private values are left out",
        "  sizes of Drey's home and of the team folder",
        `  ${count(lines, "log line")}, with paths shortened and quoted text left out`,
        "It contains no text of memories, prompts or files. Read it before you send it.",
      ].join("\n"),
  )
}

/** One line when all is well; otherwise what needs attention. */
function toText(checks: Check[], isVerbose: boolean): string {
  const failed = checks.filter(({ status }) => status === "fail").length
  const warned = checks.filter(({ status, severity }) => status === "warn" && severity !== "info").length
  const notes = checks.filter(({ status, severity }) => status === "warn" && severity === "info").length
  const shown = isVerbose ? checks : checks.filter(({ status, severity }) => status !== "pass" && severity !== "info")
  const lines = shown.map((check) => `${markOf(check)} ${check.name}: ${check.message}`)
  const more = notes > 0 && !isVerbose ? `, ${count(notes, "note")} (drey check --verbose)` : ""
  const summary =
    failed + warned === 0
      ? `All well: ${count(checks.length - notes, "check")} passed${more}.`
      : `${count(checks.length, "check")}: ${failed} failed, ${count(warned, "warning")}${more}.`
  return [...lines, ...(lines.length > 0 ? [""] : []), summary].join("\n")
}

function markOf({ status, severity }: Check): string {
  if (status === "warn") return severity === "info" ? "ℹ️ " : "⚠️ "
  return status === "pass" ? "✅" : "❌"
}

type Options = CommonOptions & {
  format: "text" | "json" | "github" | "sarif"
  staged?: boolean
  strict?: boolean
  quiet?: boolean
}

export function validateCommand(): Command {
  return command(
    "validate",
    "Validate every entry: fields, dates, references, code fences, merge conflicts. Exit code 1 when there are errors.",
    "drey validate\ndrey validate .squad/decisions.md --format github\ndrey validate --staged --strict",
  )
    .argument("[files...]", "Markdown files, or .json files with entries; default: the whole team folder")
    .addOption(
      new Option("--format <format>", "output format").choices(["text", "json", "github", "sarif"]).default("text"),
    )
    .option("--staged", "check what is staged for the next commit")
    .option("--strict", "treat warnings as errors")
    .option("-q, --quiet", "errors only")
    .action(validate)
}

async function validate(files: string[], options: Options): Promise<void> {
  const what = options.staged
    ? ({ kind: "staged" } as const)
    : files.length > 0
      ? ({ kind: "files", paths: files } as const)
      : ({ kind: "store" } as const)
  const validation = await openDrey(options).team.validate(what)
  const diagnostics = validation.diagnostics
    .map(
      (each): FileDiagnostic => (options.strict && each.severity === "warning" ? { ...each, severity: "error" } : each),
    )
    .filter((each) => !options.quiet || each.severity === "error")
    .sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : one.line - other.line))
  const totals = {
    files: validation.files,
    entries: validation.entries,
    errors: diagnostics.filter(({ severity }) => severity === "error").length,
    warnings: diagnostics.filter(({ severity }) => severity === "warning").length,
  }
  const format = options.json ? "json" : options.format
  const text = render[format]({ totals, diagnostics, validation })
  writeOut(text, { paged: format === "text" })
  const isUnreadable = what.kind === "files" && diagnostics.some(({ code }) => code === "unreadable")
  if (totals.errors > 0) process.exitCode = isUnreadable ? exitCode.usage : exitCode.no
}

type Report = {
  totals: { files: number; entries: number; errors: number; warnings: number }
  diagnostics: FileDiagnostic[]
  validation: Validation
}

const render: Record<Options["format"], (report: Report) => string> = {
  text: renderText,
  json: ({ totals, diagnostics }) => `${toJson({ totals, diagnostics })}\n`,
  github: renderGitHub,
  sarif: renderSarif,
}

function renderText({ totals, diagnostics, validation }: Report): string {
  const lines = diagnostics.map(
    ({ path, line, code, severity, message }) =>
      `${path}:${line}  ${paint[severity](severity)}  ${message} ${colors.dim(`(${code})`)}`,
  )
  const legacy = validation.legacy > 0 ? `, ${validation.legacy} of them legacy` : ""
  const summary = `${count(totals.entries, "entry", "entries")} in ${count(totals.files, "file")}${legacy}: ${count(totals.errors, "error")}, ${count(totals.warnings, "warning")}.`
  return `${[...lines, ...(lines.length > 0 ? [""] : []), summary].join("\n")}\n`
}

const paint = { error: colors.red, warning: colors.yellow, info: colors.blue }

/** Workflow commands: GitHub shows each at its line of the pull request. */
function renderGitHub({ diagnostics }: Report): string {
  const level = { error: "error", warning: "warning", info: "notice" }
  return diagnostics
    .map(
      ({ path, line, code, severity, message }) =>
        `::${level[severity]} file=${escapeProperty(path)},line=${line},title=${code}::${escapeData(message)}\n`,
    )
    .join("")
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
}

function renderSarif({ diagnostics }: Report): string {
  const level = { error: "error", warning: "warning", info: "note" }
  const rules = [...new Set(diagnostics.map(({ code }) => code))].sort()
  const document = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "drey", rules: rules.map((id) => ({ id })) } },
        results: diagnostics.map(({ path, line, code, severity, message }) => ({
          ruleId: code,
          level: level[severity],
          message: { text: message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: path.split("/").map(encodeURIComponent).join("/") },
                region: { startLine: line },
              },
            },
          ],
        })),
      },
    ],
  }
  return `${toJson(document)}\n`
}

type OptionsScrub = CommonOptions & { dryRun?: boolean; forget?: boolean }

export function scrubCommand(): Command {
  return command(
    "scrub",
    "Find secrets and personal data in the team folder and replace them with placeholders. Prints locations and rules, never values.",
    "drey scrub --dry-run\ndrey scrub\ndrey scrub --forget",
  )
    .option("--dry-run", "show what would be replaced and write nothing")
    .option("--forget", "remove the copies kept for undo; earlier changes can no longer be undone")
    .action(scrub)
}

async function scrub(options: OptionsScrub): Promise<void> {
  const drey = openDrey(options)
  const plan = await drey.team.scrub.plan()
  if (!options.dryRun) await drey.team.scrub.apply(plan)
  const forgotten = options.forget && !options.dryRun ? await drey.team.changes.forget() : 0
  const { findings, inBackups, touchesAudit, unreadable } = plan
  print(
    options,
    () => ({ dryRun: options.dryRun === true, findings, inBackups, touchesAudit, unreadable, forgotten }),
    () => toTextScrub(plan, options),
  )
  if (!options.json) tellWhatStays(plan, options, forgotten)
  for (const { path, message } of unreadable) printNotice(`drey: skipped ${path}: ${message}`)
}

function toTextScrub({ findings }: ScrubPlan, options: OptionsScrub): string {
  const replaced = findings.filter(({ outcome }) => outcome === "replaced").length
  const left = findings.length - replaced
  const lines = findings.map(toLine)
  if (lines.length > 0) lines.push("")
  if (findings.length === 0) lines.push("No secrets or personal data found.")
  else if (options.dryRun) lines.push(`${replaced} would be replaced. Run without --dry-run to do it.`)
  else lines.push(`${replaced} replaced.`)
  if (left > 0) lines.push(`${count(left, "passage")} left for manual review: Drey cannot tell what to replace.`)
  return lines.join("\n")
}

function toLine({ path, line, kind, rule, reason, outcome }: ScrubFinding): string {
  const what = kind === "personal data" ? `personal data (${rule})` : `${reason} (${rule})`
  return `${path}:${line}  ${what}${outcome === "left" ? "  left" : ""}`
}

/** Reminds the user, on every run, of copies that scrub cannot change. */
function tellWhatStays(plan: ScrubPlan, options: OptionsScrub, forgotten: number): void {
  const replaced = plan.findings.some(({ outcome }) => outcome === "replaced")
  if (plan.findings.some(({ path }) => path.startsWith(`${plan.leftAlone}/`)))
    printNotice(`${plan.leftAlone} was not changed: if both folders exist, Drey only changes .squad.`)
  if (plan.findings.some(({ path }) => /^[^/]+\/sessions\//.test(path)))
    printNotice("Session files are not rewritten: edit them by hand.")
  for (const { path, findings } of plan.inBackups)
    printNotice(`${path} has ${count(findings, "finding")} too: backups are not changed.`)
  if (plan.touchesAudit)
    printNotice("Some findings are in the audit log: verifying it will report these lines as changed.")
  if (forgotten > 0)
    printNotice(`The old texts of ${count(forgotten, "change")} were removed; these changes can no longer be undone.`)
  if (!replaced || options.dryRun) return
  printNotice("Git history still contains the replaced values: revoke the secrets.")
  if (forgotten === 0)
    printNotice(
      'For "drey undo", the old texts are kept in Drey\'s home, readable only by you. Remove them with "drey scrub --forget".',
    )
}

type OptionsReindex = CommonOptions & {
  deep?: boolean
  names?: boolean
  past?: boolean
  /** Set for the process that a hook starts. */
  background?: boolean
}

export function reindexCommand(): Command {
  return command(
    "reindex",
    "Rebuild the search index of this checkout from its files. The index is derived, so no data is lost.",
    "drey reindex\ndrey reindex --deep\ndrey reindex --names",
  )
    .option("--deep", "also compute the transformer's vectors; takes minutes for thousands of entries")
    .option("--names", "only check whether the files, commands and symbols named by items still exist")
    .option("--past", "only index new conversations and commits")
    .addOption(new Option("--background").hideHelp())
    .action((options: OptionsReindex) =>
      options.names ? lookAtNames(options) : options.past ? indexPast(options) : rebuild(options),
    )
}

/** In the background it runs only if it is due. */
async function lookAtNames(options: OptionsReindex): Promise<void> {
  const drey = openDrey(options)
  const staleness = drey.memories.staleness
  if (options.background) {
    await staleness.refresh()
    await drey.search.past.index()
  } else {
    const report = await staleness.judge()
    print(
      options,
      () => report,
      () => stalenessText(report),
    )
  }
  await drey.close()
}

async function indexPast(options: OptionsReindex): Promise<void> {
  const bar = progressBar("Indexing commits")
  const drey = openDrey(options)
  await drey.search.past.index({ progress: bar.update })
  await drey.close()
  bar.end()
}

async function rebuild(options: OptionsReindex): Promise<void> {
  const bar = progressBar("Embedding")
  const reindexing = await openDrey(options).search.reindex({ deep: options.deep === true, progress: bar.update })
  bar.end()
  print(
    options,
    () => reindexing,
    () => toTextReindex(reindexing),
  )
  printReadProblems(reindexing)
}

function toTextReindex({ stats, seconds }: Reindexing): string {
  const sources = Object.entries(stats.sources).map(([source, items]) => `${formatNumber(items)} in ${source}`)
  const { static: table, minilm } = stats.vectors
  return [
    `${count(stats.items, "item")} indexed in ${seconds.toFixed(1)} s: ${sources.join(", ")}.`,
    `${count(table.items, "item")} with static vectors, ${formatNumber(minilm.items)} with transformer vectors; ${formatNumber(Math.round(stats.bytes / 1024))} KB on disk.`,
  ].join("\n")
}
