import {
  budgetRecall,
  contextRecall,
  currentFirst,
  hitAt,
  type Metric,
  ndcgAt10,
  recallAt,
  reciprocalRank,
  staleAboveCurrent,
  staleShown,
} from "./metrics.ts"

/** What Drey is to reach in a table, by metric: at least, at most where less is better, or not much less than another arm. */
export type Goal = { arm: string; metric: string; least?: number; most?: number; near?: { arm: string; by: number } }

/** One table: queries of one data set, asked of every arm. The first metric is the one that intervals are made of. */
export type Table = { title: string; set: string; kinds?: string[]; metrics: Metric[]; goals: Goal[] }

const words = "Drey words"
const cold = "Drey cold"
const resident = "Drey resident"
const byHand = ["task", "question", "symptom", "current"]
const budgets = [contextRecall, budgetRecall(1000), budgetRecall(2000), budgetRecall(4000)]
const besidePlainSum: Goal = { arm: resident, metric: "MRR", near: { arm: "plain sum", by: 0.01 } }

export const tables: Table[] = [
  {
    title: "squad logs, questions by hand",
    set: "squad",
    kinds: byHand,
    metrics: [reciprocalRank, recallAt(5), recallAt(10), hitAt(1), ndcgAt10, staleAboveCurrent, ...budgets],
    goals: [...byHandGoals(resident, 0.8), ...byHandGoals(cold, 0.74), besidePlainSum],
  },
  {
    title: "architecture decision records, questions by hand",
    set: "adr",
    kinds: byHand,
    metrics: [reciprocalRank, recallAt(5), recallAt(10), hitAt(1), ndcgAt10, staleAboveCurrent, ...budgets],
    goals: [...byHandGoals(resident, 0.84), ...byHandGoals(cold, 0.78), besidePlainSum],
  },
  {
    title: "decisions and learnings written for this benchmark",
    set: "own",
    kinds: byHand,
    metrics: [reciprocalRank, recallAt(5), recallAt(10), hitAt(1), ndcgAt10, staleAboveCurrent, ...budgets],
    goals: [besidePlainSum],
  },
  {
    title: "squad logs, commit → decision",
    set: "squad",
    kinds: ["commit→decision"],
    metrics: [reciprocalRank, recallAt(10), hitAt(1), ndcgAt10, ...budgets],
    goals: [besidePlainSum],
  },
  {
    title: "squad logs, why → what",
    set: "squad",
    kinds: ["why→what"],
    metrics: [reciprocalRank, recallAt(10), hitAt(1), ndcgAt10, contextRecall],
    goals: [besidePlainSum],
  },
  {
    title: "squad logs, title → body",
    set: "squad",
    kinds: ["title→body"],
    metrics: [reciprocalRank, recallAt(10), contextRecall],
    goals: [besidePlainSum],
  },
  {
    title: "architecture decision records, commit or code → record",
    set: "adr",
    kinds: ["commit→ADR", "code→ADR"],
    metrics: [reciprocalRank, recallAt(10), contextRecall],
    goals: [besidePlainSum],
  },
  {
    title: "architecture decision records, context → decision",
    set: "adr",
    kinds: ["context→decision"],
    metrics: [reciprocalRank, recallAt(10), contextRecall],
    goals: [besidePlainSum],
  },
  {
    title: "architecture decision records, title → body",
    set: "adr",
    kinds: ["title→body"],
    metrics: [reciprocalRank, recallAt(10), contextRecall],
    goals: [besidePlainSum],
  },
  {
    title: "LoCoMo, turns (corrected key)",
    set: "locomo-turn",
    metrics: [recallAt(10), reciprocalRank, hitAt(10), ndcgAt10, ...budgets],
    goals: [{ arm: resident, metric: "R@10", least: 0.78 }],
  },
  {
    title: "LoCoMo, sessions (corrected key)",
    set: "locomo-session",
    metrics: [recallAt(10), reciprocalRank, hitAt(10), ndcgAt10, contextRecall],
    goals: [{ arm: resident, metric: "R@10", least: 0.95 }],
  },
  ...supersession("MemoryCode, changed coding rules", "memorycode", ["coding rule"], 0.02),
  ...supersession("MemoryCode, changed practices", "memorycode", ["practice"], 0.02),
  ...supersession("amended decisions written for this benchmark", "amended", undefined, 0.05),
  {
    title: "DevBench, questions with an answer",
    set: "devbench",
    kinds: ["exact", "semantic", "cross_type"],
    metrics: [reciprocalRank, recallAt(5), hitAt(1), ndcgAt10, contextRecall],
    goals: [besidePlainSum],
  },
]

function byHandGoals(arm: string, rank: number): Goal[] {
  return [
    { arm, metric: "MRR", least: rank },
    { arm, metric: contextRecall.name, least: 0.9 },
  ]
}

/** The same changes twice: with links, where nothing outdated may come first, and by time and similarity only. */
function supersession(title: string, set: string, kinds: string[] | undefined, most: number): Table[] {
  const metrics = [staleAboveCurrent, currentFirst, staleShown, hitAt(1), reciprocalRank, contextRecall]
  const goalsOf = (limit: number) =>
    [words, cold, resident].map((arm) => ({ arm, metric: staleAboveCurrent.name, most: limit }))
  const asked = kinds ? { kinds } : {}
  return [
    { title: `${title}, with links`, set: `${set}-linked`, ...asked, metrics, goals: goalsOf(0) },
    { title: `${title}, without links`, set, ...asked, metrics, goals: goalsOf(most) },
  ]
}
