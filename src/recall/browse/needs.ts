import { quantity } from "../../squad/doctor/check.ts"

/** Something for the user to review. `query` finds the items, if there are any. */
export type Need = {
  kind: "inbox" | "conflict" | "expired" | "stale" | "over budget" | "review" | "broken"
  count: number
  text: string
  query: string | undefined
}

/** A list of one, or empty if the count is zero. */
export function need(kind: Need["kind"], count: number, one: string, many: string, query?: string): Need[] {
  return count === 0 ? [] : [{ kind, count, text: quantity(count, one, many), query }]
}

/** What the flags of memories require; `count` returns how many active memories have a flag. */
export function flagNeeds(count: (flag: string) => number): Need[] {
  return flags.flatMap(([flag, kind, one, many]) => need(kind, count(flag), one, many, `tag:${flag}`))
}

/** What a flag of a memory requires. */
const flags: [flag: string, kind: Need["kind"], one: string, many: string][] = [
  ["conflict", "conflict", "memory contradicts another", "memories contradict others"],
  ["review", "review", "memory was reported as wrong", "memories were reported as wrong"],
  ["misses", "review", "memory was used and did not help", "memories were used and did not help"],
  [
    "withheld",
    "review",
    "proven memory cannot be shared in its current form",
    "proven memories cannot be shared in their current form",
  ],
  ["share", "review", "memory was meant for the team", "memories were meant for the team"],
  ["stale", "stale", "memory has not been used for three months", "memories have not been used for three months"],
]
