import { type Command, Option } from "commander"
import { type Drey, openDrey } from "../../drey.ts"
import { DreyError } from "../../errors.ts"
import { removeInvisible } from "../../formats/text.ts"
import type { LearningStatus } from "../../learning/learning-status.ts"
import type { TaskComparison } from "../../memories/learned-store.ts"
import type { Memory } from "../../memories/memory.ts"
import type { StatsShare, TeamStats } from "../../team/team-stats.ts"
import type { RepositoryTrust } from "../../trust.ts"
import { command } from "../command.ts"
import { colors } from "../output.ts"
import { type CommonOptions, count, formatNumber, listLine, print, printNotice, typeName } from "../print.ts"
import { episodesText, pausedText } from "./learning-output.ts"
import { trustText } from "./trust.ts"

type Options = CommonOptions & { review?: boolean; all?: boolean }

export function statusCommand(): Command {
  return command(
    "status",
    "Show how it is going at a glance: what the team has written, what waits for review, what was learned, and whether it helps. drey stats and drey report say more. With --review: memories that need your attention. With --all: every memory on trial or proven.",
    "drey status\ndrey status --all",
  )
    .option("--review", "memories that conflict, are often wrong, or are kept only because they are pinned")
    .addOption(new Option("--all", "every memory on trial or proven").conflicts("review"))
    .action(showStatus)
}

async function showStatus(options: Options): Promise<void> {
  const drey = openDrey(options)
  const learning = drey.memories
  const status = await learning.status()
  const live = { project: (await learning.project()).id, statuses: ["provisional", "active"] as const }
  const all = options.all ? await learning.list(live) : undefined
  const trust = await drey.team.trust()
  const team = drey.hasTeamFolder ? await teamStatus(drey) : undefined
  const helping = await learning.comparison()
  const commits = drey.hasTeamFolder ? await drey.search.past.state() : { indexed: 0, total: 0 }
  const shown = all ?? [...status.best, ...status.review.map(({ memory }) => memory)]
  const short = await drey.search.shortIds(options.json || !team ? [] : shown.map(({ id }) => id))
  await drey.close()
  const document = { ...status, trusted: trust.kind === "trusted", team, helping, commits }
  print(
    options,
    () => (all ? { ...document, memories: all } : document),
    () => {
      if (options.review) return reviewText(status, short)
      return all ? allText(all, short) : statusText(status, { trust, team, helping, short, commits })
    },
  )
}

export function showReview(options: CommonOptions): Promise<void> {
  return showStatus({ ...options, review: true })
}

/** What the team has written, counted. */
type EntryCounts = Pick<TeamStats, "entries" | "superseded" | "types"> & { waiting: number; thisWeek: number }

async function teamStatus(drey: Drey): Promise<EntryCounts> {
  const { stats } = await drey.team.stats({ weeks: 1 })
  const { entries, superseded, types, sources, weeks } = stats
  const waiting = sources.find(({ name }) => name === "inbox")?.entries ?? 0
  return { entries, superseded, types, waiting, thisWeek: weeks[0]?.entries ?? 0 }
}

function teamText({ entries, superseded, types, thisWeek }: EntryCounts): string {
  const kinds = types
    .filter((each) => each.entries > 0)
    .map(({ name, entries: number }) => count(number, typeName(name), `${typeName(name).replace(/y$/, "ie")}s`))
  const parts = [
    kinds.length === 0 ? 'none yet: drey remember "…"' : kinds.join(", "),
    ...(superseded > 0 ? [`${formatNumber(superseded)} superseded`] : []),
    ...(thisWeek > 0 && entries > 0 ? [`${formatNumber(thisWeek)} new this week`] : []),
  ]
  return parts.join("; ")
}

function helpingText({ withMemory, withoutMemory, tasks }: TaskComparison): string {
  if (withMemory === null || withoutMemory === null) return `not enough data yet (${count(tasks, "task")} with memory)`
  return `${withMemory} errors per task with memory, ${withoutMemory} without (${count(tasks, "task")})`
}

type Glance = {
  trust: RepositoryTrust
  team: EntryCounts | undefined
  helping: TaskComparison
  short: ShortOf
  commits: { indexed: number; total: number }
}
type ShortOf = (id: string) => string

function statusText(status: LearningStatus, { trust, team, helping, short, commits }: Glance): string {
  const { project, former, writer, writerProblem, counts, baseline, best, review, clients, pause } = status
  const { memories } = counts
  const line = (name: string, value: string) => `${colors.dim(name.padEnd(13))}${value}`
  const onMachine = clients.reduce((sum, { transcripts }) => sum + transcripts, 0)
  return [
    line("project", `${project.id}  ${project.root}`),
    ...former.map(({ id, memories }) => line("formerly", formerText(project, id, memories))),
    line("trusted", trustText(trust)),
    line("team", team ? teamText(team) : "no team folder yet: drey init"),
    ...(team && team.waiting > 0 ? [line("inbox", `${count(team.waiting, "proposal")} to review: drey inbox`)] : []),
    ...(pause ? [line("paused", pausedText([{ project, pause }]).join())] : []),
    line("writer", writerProblem === undefined ? writer : colors.yellow(`${writer}: ${writerProblem}`)),
    line(
      "transcripts",
      counts.transcripts > 0
        ? `${formatNumber(counts.transcripts)} of this project read`
        : `none of this project read yet${onMachine > 0 ? ": drey learn" : ""}`,
    ),
    ...(commits.total > 0
      ? [line("commits", `${formatNumber(commits.indexed)} of ${formatNumber(commits.total)} indexed for search`)]
      : []),
    line("episodes", episodesText(counts)),
    line(
      "memories",
      `${formatNumber(memories.active)} proven, ${formatNumber(memories.provisional)} on trial, ${formatNumber(memories.deprecated)} ended`,
    ),
    line(
      "baseline",
      baseline.episodes === 0
        ? "no tasks without memory yet"
        : `${baseline.errors.toFixed(1)} errors and ${baseline.retries.toFixed(1)} retry loops per task (${count(baseline.episodes, "task")} without memory)`,
    ),
    line("helping", helpingText(helping)),
    ...(review.length > 0
      ? [line("review", `${count(review.length, "memory", "memories")} to review: drey learn review`)]
      : []),
    ...(best.length > 0 ? ["", ...best.map((memory) => memoryLine(memory, short))] : []),
  ].join("\n")
}

/** The project's remote or name changed. Only the user knows whether it is still the same project. */
function formerText(project: LearningStatus["project"], id: string, memories: number): string {
  const setting = JSON.stringify({ projects: { [project.root]: project.id } })
  return colors.yellow(
    `${id}, before the remote or the name changed; ${count(memories, "memory", "memories")} are still there. To use them here, add ${setting} to ~/.drey/config.json.`,
  )
}

function allText(memories: readonly Memory[], short: ShortOf): string {
  return memories.length === 0 ? "No memories yet." : memories.map((memory) => memoryLine(memory, short)).join("\n")
}

function memoryLine({ id, kind, status, text }: Memory, short: ShortOf): string {
  const state = status === "active" ? colors.green("proven") : "trial "
  return listLine(`${colors.cyan(short(id))}  ${state}  ${kind}:`, text)
}

function reviewText({ review }: LearningStatus, short: ShortOf): string {
  if (review.length === 0) return "Nothing to review."
  return review
    .map(
      ({ memory, reason }) =>
        `${colors.cyan(short(memory.id))}  ${memory.kind}: ${removeInvisible(memory.text)}\n  ${colors.yellow(reason)}`,
    )
    .join("\n")
}

type OptionsStats = CommonOptions & { weeks: string }

export function statsCommand(): Command {
  return command(
    "stats",
    "Show how the team's memory grows: decisions per week, who contributes, growth, scopes, types and sources of entries.",
    "drey stats\ndrey stats --weeks 26 --json",
  )
    .option("--weeks <number>", "number of weeks to show", "12")
    .action(showStats)
}

async function showStats(options: OptionsStats): Promise<void> {
  const weeks = Number(options.weeks)
  if (!Number.isInteger(weeks) || weeks < 1 || weeks > 520)
    throw new DreyError(`"${options.weeks}" is not a number of weeks`, { hint: "Write a whole number from 1 to 520." })
  const { stats, unreadable } = await openDrey(options).team.stats({ weeks })
  print(
    options,
    () => stats,
    () => toText(stats),
  )
  for (const { path, message } of unreadable) printNotice(`drey: skipped ${path}: ${message}`)
}

const authorsShown = 20

function toText(stats: TeamStats): string {
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

function velocity({ weeks }: TeamStats): string[] {
  return barChart(
    weeks.map(({ week, start, decisions }) => ({
      label: `${week} ${start}`,
      value: decisions,
      text: String(decisions),
    })),
  )
}

function shares(items: StatsShare<string>[]): string[] {
  return barChart(
    items.map(({ name, entries, ratio }) => ({
      label: name,
      value: entries,
      text: `${entries} (${Math.round(ratio * 100)} %)`,
    })),
  )
}

const barWidth = 30
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
const heights = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

/** Rows of `label  bar  text`, the longest bar for the largest value. */
export function barChart(rows: readonly { label: string; value: number; text: string }[]): string[] {
  const widest = Math.max(0, ...rows.map(({ label }) => widthOf(label)))
  const largest = Math.max(1, ...rows.map(({ value }) => value))
  return rows.map(({ label, value, text }) => {
    const bar = drawBar(value / largest)
    return `${label}${" ".repeat(widest - widthOf(label))}  ${bar}${bar === "" ? "" : " "}${text}`
  })
}

/** One character for each value, as high as the value is large: the shape of a curve on one line. */
export function curve(values: readonly number[]): string {
  const lowest = Math.min(...values)
  const range = Math.max(...values) - lowest
  return values
    .map((value) => heights[range === 0 ? 0 : Math.round(((value - lowest) / range) * (heights.length - 1))] ?? "")
    .join("")
}

/** Text in columns: the first to the left, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[column] ?? ""))))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const gap = " ".repeat((widths[column] ?? 0) - widthOf(cell))
        return column === 0 ? cell + gap : gap + cell
      })
      .join("  ")
      .trimEnd()
  return [line(head), ...rows.map(line)]
}

function drawBar(part: number): string {
  const steps = Math.round(part * barWidth * 8)
  return "█".repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? "")
}

function widthOf(text: string): number {
  return [...text].length
}
