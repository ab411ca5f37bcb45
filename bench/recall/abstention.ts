import type { Arm, Hit } from "./arm.ts"
import type { Query } from "./data.ts"
import { loadHandRepositories } from "./hand-repositories.ts"
import { mean, recallAt } from "./metrics.ts"
import { printColumns } from "./print-table.ts"

/** Shares of the unanswerable questions that a threshold is to keep silent on. */
const targets = [0.5, 0.8, 0.9, 0.95, 0.99]

type Asked = { answerable: { query: Query; hits: Hit[] }[]; unanswerable: Hit[][] }

/**
 * What is handed out when nothing answers: the hand-written questions of each repository asked in its own store and in those
 * of every other owner. For each share of silence the lowest threshold that gives it on the development half is taken, then
 * tried on the test half. Arms whose scores only rank (fused ones) and those without scores are left out.
 */
export async function printAbstention(arms: Arm[], folder: string): Promise<void> {
  console.log("\n## Abstention: questions asked where nothing answers them\n")
  const rows: string[][] = []
  for (const arm of arms.filter(({ kind, name }) => kind === "drey" || name === "FTS5 BM25" || name === "MiniLM")) {
    const development = await ask(arm, folder, "development")
    const test = await ask(arm, folder, "test")
    for (const target of [undefined, ...targets]) {
      const threshold = target === undefined ? Number.NEGATIVE_INFINITY : thresholdFor(development.unanswerable, target)
      const setting = target === undefined ? "none" : `${target * 100} % silent, ≥ ${threshold.toPrecision(3)}`
      const isAbove = (hit: Hit) => confidenceOf(hit) >= threshold
      rows.push([arm.name, setting, ...figures(development, isAbove), ...figures(test, isAbove)])
    }
    const isAnswer = (hit: Hit) => hit.isAnswer === true
    if (arm.kind === "drey")
      rows.push([arm.name, "as shipped", ...figures(development, isAnswer), ...figures(test, isAnswer)])
  }
  printColumns([["arm", "threshold", ...headings("development"), ...headings("test")], ...rows])
  console.log("\n- silent: share of questions nothing answers that get no item at all.")
  console.log("- kept: share of answerable questions that get any item; R@5: share of their evidence in the first 5.")
  console.log("- The thresholds are chosen on the development half.")
}

function headings(split: string): string[] {
  return [`${split}: silent`, "kept", "R@5"]
}

async function ask(arm: Arm, folder: string, split: "development" | "test"): Promise<Asked> {
  const repositories = loadHandRepositories(folder, split)
  const asked: Asked = { answerable: [], unanswerable: [] }
  for (const { store, questions } of repositories) {
    const opened = await arm.open(store)
    for (const query of questions) asked.answerable.push({ query, hits: await opened.search(query.text, 100) })
    for (const other of repositories) {
      if (ownerOf(other.store.name) === ownerOf(store.name)) continue
      for (const query of other.questions) asked.unanswerable.push(await opened.search(query.text, 100))
    }
    await opened.close()
  }
  return asked
}

function ownerOf(repository: string): string {
  return repository.replace(/\+.*/, "")
}

/** Just above the score that so many of the questions do not reach. */
function thresholdFor(unanswerable: Hit[][], share: number): number {
  const tops = unanswerable.map((hits) => Math.max(...hits.map(confidenceOf))).sort((a, b) => a - b)
  const highest = tops[Math.min(tops.length, Math.ceil(share * tops.length)) - 1] ?? 0
  return Number.isFinite(highest) ? highest + 1e-9 : highest
}

function confidenceOf({ score, confidence }: Hit): number {
  return confidence ?? score
}

function figures({ answerable, unanswerable }: Asked, isKept: (hit: Hit) => boolean): string[] {
  const above = (hits: Hit[]) => hits.filter(isKept)
  const silent = unanswerable.map((hits) => Number(above(hits).length === 0))
  const kept = answerable.map(({ hits }) => Number(above(hits).length > 0))
  const recall = answerable.map(({ query, hits }) => {
    return recallAt(5).of({ ranked: above(hits).map(({ id }) => id), relevant: query.relevant }) ?? 0
  })
  return [silent, kept, recall].map((values) => (mean(values) * 100).toFixed(1))
}
