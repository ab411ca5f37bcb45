import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError } from "../../errors.ts"
import type { Share, Stats } from "../../squad/stats.ts"
import { barChart, curve, table } from "../chart.ts"
import { colors } from "../colors.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print, tell } from "../print.ts"

type Options = CommonOptions & { weeks: string }

export function statsCommand(): Command {
  return command(
    "stats",
    "Show how the team's memory grows: decisions per week, who contributes, growth, scopes, types and sources of entries.",
    "drey stats\ndrey stats --weeks 26 --json",
  )
    .option("--weeks <number>", "number of weeks to show", "12")
    .action(showStats)
}

async function showStats(options: Options): Promise<void> {
  const weeks = Number(options.weeks)
  if (!Number.isInteger(weeks) || weeks < 1 || weeks > 520)
    throw new DreyError(`"${options.weeks}" is not a number of weeks`, { hint: "Write a whole number from 1 to 520." })
  const { stats, unreadable } = await openDrey(options).team.stats({ weeks })
  print(
    options,
    () => stats,
    () => toText(stats),
  )
  for (const { path, message } of unreadable) tell(`drey: skipped ${path}: ${message}`)
}

const authorsShown = 20

function toText(stats: Stats): string {
  if (stats.entries === 0) return "No entries yet."
  const totals = stats.weeks.map(({ total }) => total)
  const authors = stats.authors
    .slice(0, authorsShown)
    .map(({ author, entries, decisions, contributions }) => [author, entries, decisions, contributions].map(String))
  const others = stats.authors.length - authors.length
  const undated = stats.undated === 0 ? "" : `, ${stats.undated} without a date`
  return [
    `${count(stats.entries, "entry", "entries")}, ${stats.superseded} superseded${undated}.`,
    ...section(`Decisions per week (${stats.decisionsPerWeek} on average)`, velocity(stats)),
    ...section("Growth", [`${curve(totals)}  ${totals[0]} → ${totals.at(-1)} entries`]),
    ...section("Contribution", [
      ...table(["author", "entries", "decisions", "as contributor"], authors),
      ...(others > 0 ? [colors.dim(`and ${others} more; --json lists all`)] : []),
    ]),
    ...section("Scope", shares(stats.scopes)),
    ...section("Type", shares(stats.types)),
    ...section("Source", shares(stats.sources)),
  ].join("\n")
}

function section(title: string, lines: string[]): string[] {
  return ["", colors.bold(title), ...lines]
}

function velocity({ weeks }: Stats): string[] {
  return barChart(
    weeks.map(({ week, start, decisions }) => ({
      label: `${week} ${start}`,
      value: decisions,
      text: String(decisions),
    })),
  )
}

function shares(items: Share<string>[]): string[] {
  return barChart(
    items.map(({ name, entries, ratio }) => ({
      label: name,
      value: entries,
      text: `${entries} (${Math.round(ratio * 100)} %)`,
    })),
  )
}
