import { type Command, Option } from "commander"
import { type Drey, openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import type { Check } from "../../formats/check.ts"
import type { Reindexing } from "../../recall/sync/index-rebuild.ts"
import { command } from "../command.ts"
import { toJson } from "../output.ts"
import { type CommonOptions, count, formatNumber, print, printReadProblems, progressBar } from "../print.ts"
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
