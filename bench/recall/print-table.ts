import type { Interval } from "./bootstrap.ts"
import { bootstrap } from "./bootstrap.ts"
import type { DataSet, Split } from "./data.ts"
import { wholeText } from "./data.ts"
import { type Metric, mean } from "./metrics.ts"
import type { Answer, Run } from "./run-arm.ts"
import { queriesOf, splits } from "./select-queries.ts"
import type { Goal, Table } from "./tables.ts"

/** Prints one table, a half of the data at a time, then both: a line for each arm, the goals of both, and how sure the lead is. */
export function printTable(table: Table, set: DataSet, runs: Run[]): void {
  console.log(`\n## ${table.title}\n`)
  for (const { name, definition } of table.metrics) console.log(`- ${name}: ${definition}.`)
  for (const split of [...splits, "both"] as const) printHalf(table, set, split, runs)
}

function printHalf(table: Table, set: DataSet, split: Split | "both", runs: Run[]): void {
  const queries = new Set(queriesOf(table, set, split).map(({ id }) => id))
  if (queries.size === 0) return
  const rows = runs.map((run) => ({ run, figures: judge(run, queries, table, set) }))
  const shown = table.metrics.filter(({ name }) => rows.some(({ figures }) => countOf(figures, name) > 0))
  const hasGoals = split === "both" && rows.some(({ run }) => table.goals.some(({ arm }) => arm === run.arm.name))

  console.log(`\n### ${split}, n = ${queries.size}\n`)
  printColumns([
    ["arm", "n", ...shown.map(({ name }) => name), ...(hasGoals ? ["goal"] : [])],
    ...rows.map(({ run, figures }) => [
      run.arm.name,
      ...(run.failure === undefined ? cellsOf(figures, shown) : [run.failure]),
      ...(hasGoals ? [goalOf(run.arm.name, table, figures, rows)] : []),
    ]),
  ])
  console.log()
  printIntervals(table, rows)
}

function cellsOf(figures: Figures, metrics: Metric[]): string[] {
  const asked = Math.max(...metrics.map(({ name }) => countOf(figures, name)))
  return [String(asked), ...metrics.map((metric) => format(metric, average(figures, metric)))]
}

function countOf(figures: Figures, metric: string): number {
  return figures.get(metric)?.size ?? 0
}

/** The figures of one arm, by metric, then by query. */
type Figures = Map<string, Map<string, number>>

type Row = { run: Run; figures: Figures }

function judge(run: Run, queries: Set<string>, table: Table, set: DataSet): Figures {
  const answers = run.answers.filter(({ query }) => queries.has(query.id))
  return new Map(
    table.metrics.map((metric) => {
      const makesContexts = answers.some(({ shown }) => shown)
      const values = answers.map(
        (answer) => [answer.query.id, metric.of(toJudged(answer, set, makesContexts))] as const,
      )
      return [metric.name, new Map(values.filter((pair): pair is [string, number] => pair[1] !== undefined))]
    }),
  )
}

function toJudged({ query, hits, shown }: Answer, set: DataSet, makesContexts: boolean) {
  return {
    ranked: hits.map(({ id }) => id),
    relevant: query.relevant,
    stale: query.stale ?? [],
    tokensOf: tokensIn(set, query.store),
    shown,
    isUnasked: makesContexts && !shown,
  }
}

const sizes = new WeakMap<object, Map<string, number>>()

function tokensIn(set: DataSet, name: string): (id: string) => number {
  const store = set.stores.find((candidate) => candidate.name === name)
  if (!store) return () => 0
  const known =
    sizes.get(store) ??
    new Map(store.documents.map((document) => [document.id, Math.ceil(wholeText(document).length / 4)]))
  sizes.set(store, known)
  return (id) => known.get(id) ?? 0
}

function average(figures: Figures, { name }: Metric): number {
  return mean([...(figures.get(name)?.values() ?? [])])
}

function goalOf(arm: string, { goals, metrics }: Table, figures: Figures, rows: Row[]): string {
  return goals
    .filter((goal) => goal.arm === arm)
    .flatMap((goal) => {
      const metric = metrics.find(({ name }) => name === goal.metric)
      if (!metric) throw new Error(`The goal for ${goal.metric} has no column.`)
      const limit = limitOf(goal, metric, rows)
      if (limit === undefined) return []
      const isReached =
        goal.most === undefined ? average(figures, metric) >= limit - half : average(figures, metric) <= limit + half
      return [`${goal.metric} ${goal.most === undefined ? "≥" : "≤"} ${format(metric, limit)} ${isReached ? "✓" : "✗"}`]
    })
    .join(", ")
}

/** A figure is compared as it is printed. */
const half = 0.0005

/** Undefined where the arm that the goal compares with was not asked. */
function limitOf(goal: Goal, metric: Metric, rows: Row[]): number | undefined {
  if (goal.near === undefined) return goal.least ?? goal.most
  const rival = rows.find(({ run }) => run.arm.name === goal.near?.arm)
  return rival && average(rival.figures, metric) - goal.near.by
}

/** Each of Drey's arms against the best simple arm and the best peer, on the queries that both were asked. */
function printIntervals({ metrics, goals }: Table, rows: Row[]): void {
  const [metric] = metrics
  if (!metric) return
  const lessIsBetter = goals.some((goal) => goal.metric === metric.name && goal.most !== undefined)
  const sign = lessIsBetter ? -1 : 1
  for (const kind of ["simple", "peer"] as const) {
    const rivals = rows.filter(({ run, figures }) => run.arm.kind === kind && countOf(figures, metric.name) > 0)
    const [rival] = rivals.sort((a, b) => sign * (average(b.figures, metric) - average(a.figures, metric)))
    if (!rival) continue
    for (const own of rows.filter(({ run }) => run.arm.kind === "drey")) {
      const differences = pairedDifferences(own.figures.get(metric.name), rival.figures.get(metric.name))
      if (differences.length === 0) continue
      const interval = bootstrap(differences)
      console.log(
        `- ${own.run.arm.name} − best ${kind === "peer" ? "peer" : "simple arm"} (${rival.run.arm.name}), ${metric.name}: ${formatInterval(metric, interval)}, n = ${differences.length}`,
      )
    }
  }
}

function pairedDifferences(own = new Map<string, number>(), rival = new Map<string, number>()): number[] {
  return [...own].flatMap(([query, value]) => {
    const other = rival.get(query)
    return other === undefined ? [] : [value - other]
  })
}

function format({ percent }: Metric, value: number): string {
  if (Number.isNaN(value)) return "–"
  return percent ? (value * 100).toFixed(1) : value.toFixed(3)
}

function formatInterval(metric: Metric, { mean: middle, low, high }: Interval): string {
  const signed = (value: number) => `${value < 0 ? "−" : "+"}${format(metric, Math.abs(value))}`
  return `${signed(middle)} [${signed(low)}, ${signed(high)}]`
}

/** A Markdown table whose columns line up. */
export function printColumns(rows: string[][]): void {
  const count = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? "").padEnd(width)).join(" | ")} |`
  const [head = [], ...body] = rows
  console.log(line(head))
  console.log(`|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`)
  for (const row of body) console.log(line(row))
}
