import { type JudgedItem, type JudgedName, type State, states } from "./verdict.ts"

/** The number of names in each state, and those the user should know about, worst first. */
export type StalenessReport = {
  /** Items that name anything. */
  items: number
  counts: Record<State, number>
  stale: (JudgedName & { id: string })[]
}

export function summarizeNames(judged: readonly JudgedItem[]): StalenessReport {
  const all = judged.flatMap(({ id, names }) => names.map((name) => ({ id, ...name })))
  const counts = { gone: 0, moved: 0, changed: 0, valid: 0, unverifiable: 0 }
  for (const { verdict } of all) counts[verdict.state]++
  const rank = ({ verdict }: JudgedName) => states.indexOf(verdict.state)
  const stale = all.filter((name) => rank(name) < states.indexOf("valid")).sort((one, other) => rank(one) - rank(other))
  return { items: judged.filter(({ names }) => names.length > 0).length, counts, stale }
}
