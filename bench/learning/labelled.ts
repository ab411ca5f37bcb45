import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { printColumns } from "../recall/print-table.ts"
import { type Moment, moments, predictMoments, type Verdict } from "./predict-moments.ts"

/**
 * How well the rules see what a person saw in the labelled sessions, the part that they were tuned on and the part that
 * they were not: `node scripts/run-ts.mjs bench/learning/labelled.ts [--wrong]`; `--wrong` lists what is wrong in the tuned part.
 */

export const parts = ["tuned", "held"] as const

/** The folder with a folder for each part. */
export const labelledFolder = "test/fixtures/labelled"

/** Least precision and recall; the other moments are printed only. */
export const goals: Partial<Record<Moment, { precision: number; recall: number }>> = {
  error: { precision: 0.9, recall: 0.85 },
  test: { precision: 0.9, recall: 0.85 },
  boundary: { precision: 0.8, recall: 0.7 },
  correction: { precision: 0.8, recall: 0.7 },
}

/** A person's verdict about a line of the transcript beside it, with the reason where it does not speak for itself. */
type Label = { moment: Moment; at: number; is: Verdict; why?: string }

type Judged = Label & { file: string; said: Verdict }

export type Measure = { labels: number; positives: number; precision: number; recall: number; wrong: Judged[] }
export type Measures = Record<Moment, Measure>

/** Precision and recall of each kind of moment over all sessions of a folder. A wrong level or a wrong outcome of a test is both found wrongly and missed. */
export async function measureLabelled(folder: string): Promise<Measures> {
  const judged: Judged[] = []
  for (const file of sessionsIn(folder)) judged.push(...(await judgeSession(folder, file)))
  const measureOf = (moment: Moment) => measure(judged.filter((label) => label.moment === moment))
  return Object.fromEntries(moments.map((moment) => [moment, measureOf(moment)])) as Measures
}

export function sessionsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
}

async function judgeSession(folder: string, file: string): Promise<Judged[]> {
  const labels: Label[] = JSON.parse(readFileSync(join(folder, file.replace(/\.jsonl$/, ".labels.json")), "utf8"))
  const predict = await predictMoments(join(folder, file))
  return labels.map((label) => {
    const said = predict(label.moment, label.at)
    if (said === undefined)
      throw new Error(`${join(folder, file)}:${label.at} holds nothing that could be: ${label.moment}.`)
    return { ...label, file, said }
  })
}

function measure(judged: Judged[]): Measure {
  const positives = judged.filter(({ is }) => isPositive(is))
  const found = judged.filter(({ said }) => isPositive(said))
  const right = positives.filter(({ is, said }) => is === said).length
  return {
    labels: judged.length,
    positives: positives.length,
    precision: right / found.length,
    recall: right / positives.length,
    wrong: judged.filter(({ is, said }) => is !== said),
  }
}

function isPositive(verdict: Verdict): boolean {
  return verdict !== false && verdict !== "none"
}

export async function printLabelled({ wrong = false } = {}): Promise<void> {
  for (const part of parts) {
    const folder = join(labelledFolder, part)
    const measures = await measureLabelled(folder)
    const labels = moments.reduce((sum, moment) => sum + measures[moment].labels, 0)
    console.log(`\n### Labelled moments, ${part}: ${sessionsIn(folder).length} sessions, ${labels} labels\n`)
    printColumns([
      ["moment", "labels", "positive", "precision", "recall", "goal"],
      ...moments.map((moment) => [moment, ...cellsOf(measures[moment]), goalOf(moment, measures[moment])]),
    ])
    if (wrong && part === "tuned") printWrong(folder, measures)
  }
}

function cellsOf({ labels, positives, precision, recall }: Measure): string[] {
  return [String(labels), String(positives), precision.toFixed(2), recall.toFixed(2)]
}

function goalOf(moment: Moment, measured: Measure): string {
  const goal = goals[moment]
  if (!goal) return ""
  const isReached = measured.precision >= goal.precision && measured.recall >= goal.recall
  return `≥ ${goal.precision} / ${goal.recall} ${isReached ? "✓" : "✗"}`
}

function printWrong(folder: string, measures: Measures): void {
  console.log()
  for (const { file, at, moment, is, said, why } of moments.flatMap((moment) => measures[moment].wrong))
    console.log(`- ${join(folder, file)}:${at} ${moment} is ${is}, the rules say ${said}${why ? `: ${why}` : ""}`)
}

if (process.argv[1]?.includes("labelled")) await printLabelled({ wrong: process.argv.includes("--wrong") })
