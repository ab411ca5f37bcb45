/** What one search gave: ids, best first, against what it should have given. */
export type Judged = {
  ranked: string[]
  relevant: string[]
  stale?: string[]
  tokensOf?: (id: string) => number
  /** Of the evidence, what the context shows that the arm made. */
  shown?: string[] | undefined
  /** Whether no context was asked for, though the arm makes them. */
  isUnasked?: boolean
}

/** A figure of one query between 0 and 1; undefined where the query says nothing about it. */
export type Metric = { name: string; definition: string; percent: boolean; of: (judged: Judged) => number | undefined }

/** R@k, strict: the share of the labelled evidence among the first k. */
export function recallAt(k: number): Metric {
  return {
    name: `R@${k}`,
    definition: `share of the labelled evidence in the first ${k}, mean over queries`,
    percent: true,
    of: ({ ranked, relevant }) => share(relevant, new Set(ranked.slice(0, k))),
  }
}

export function hitAt(k: number): Metric {
  return {
    name: `Hit@${k}`,
    definition: `share of queries with any evidence in the first ${k}`,
    percent: true,
    of: ({ ranked, relevant }) => Number(ranked.slice(0, k).some((id) => relevant.includes(id))),
  }
}

export const reciprocalRank: Metric = {
  name: "MRR",
  definition: "mean of 1 / rank of the first evidence, 0 where there is none in the first 100",
  percent: false,
  of: ({ ranked, relevant }) => 1 / (firstOf(ranked, relevant) + 1),
}

export const ndcgAt10: Metric = {
  name: "NDCG@10",
  definition: "binary gain discounted by log2(rank + 1) over the first 10, divided by the best possible",
  percent: false,
  of: ({ ranked, relevant }) => {
    const gain = (index: number) => 1 / Math.log2(index + 2)
    const found = ranked.slice(0, 10).map((id, index) => (relevant.includes(id) ? gain(index) : 0))
    const best = relevant.slice(0, 10).map((_, index) => gain(index))
    return sum(found) / sum(best)
  },
}

export const staleAboveCurrent: Metric = {
  name: "stale above",
  definition: "share of queries with both in which an outdated item is ranked above every valid one",
  percent: true,
  of: ({ ranked, relevant, stale }) => {
    if (!stale || stale.length === 0) return undefined
    return Number(firstOf(ranked, stale) < firstOf(ranked, relevant))
  },
}

export const currentFirst: Metric = {
  name: "current first",
  definition: "share of queries with both in which the valid item is found and no outdated one is ranked above it",
  percent: true,
  of: ({ ranked, relevant, stale }) => {
    if (!stale || stale.length === 0) return undefined
    const current = firstOf(ranked, relevant)
    return Number(Number.isFinite(current) && current < firstOf(ranked, stale))
  },
}

export const staleShown: Metric = {
  name: "stale shown",
  definition: "share of queries with both in which any outdated item is among the first 10",
  percent: true,
  of: ({ ranked, stale }) => {
    if (!stale || stale.length === 0) return undefined
    return Number(ranked.slice(0, 10).some((id) => stale.includes(id)))
  },
}

/** The share of the evidence in a context packed with whole documents in their order; one that does not fit is passed over. */
export function budgetRecall(budget: number): Metric {
  return {
    name: `in ${budget}`,
    definition: `share of the evidence in ${budget} tokens packed with whole documents by rank, what does not fit passed over, 4 characters a token`,
    percent: true,
    of: ({ ranked, relevant, tokensOf }) => {
      if (!tokensOf) return undefined
      let left = budget
      const packed = ranked.filter((id) => {
        const fits = tokensOf(id) <= left
        if (fits) left -= tokensOf(id)
        return fits
      })
      return share(relevant, new Set(packed))
    },
  }
}

/** What an agent has in its hands: the evidence in the context of arms that make one, in packed documents otherwise. */
export const contextRecall: Metric = {
  name: "R@2000 tokens",
  definition:
    "share of the evidence of which the summary or the nearest passage is in Drey's context of 2,000 tokens; other arms, and conversations: in 2000",
  percent: true,
  of: (judged) => {
    if (judged.isUnasked) return undefined
    return judged.shown ? share(judged.relevant, new Set(judged.shown)) : budgetRecall(2000).of(judged)
  },
}

/** The share of results that may not be seen: another project's, another agent's, or the future's. */
export function leakShare(results: { id: string }[], mayBeSeen: (id: string) => boolean): number {
  if (results.length === 0) return 0
  return results.filter(({ id }) => !mayBeSeen(id)).length / results.length
}

export function mean(values: number[]): number {
  return values.length === 0 ? Number.NaN : sum(values) / values.length
}

function share(wanted: string[], found: Set<string>): number {
  return wanted.filter((id) => found.has(id)).length / wanted.length
}

/** The index of the first of `wanted`; infinite when none is there. */
function firstOf(ranked: string[], wanted: string[]): number {
  const index = ranked.findIndex((id) => wanted.includes(id))
  return index === -1 ? Number.POSITIVE_INFINITY : index
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
