import type { Gathered } from "./gather.ts"
import { renderItem } from "./render-context.ts"
import { type Lane, type StandingRequest, standingOf } from "./standing.ts"

/** What becomes of a gathered item before the budget is looked at. */
export type Judged = Gathered & { reason: string } & (
    | { kind: "applies"; lane: Lane; block: string; tokens: number }
    | { kind: "left" }
  )

export type Applied = Judged & { kind: "applies" }

export function judge(gathered: Gathered, request: StandingRequest, countTokens: (text: string) => number): Judged {
  const standing = standingOf(gathered.item, request)
  if (standing.kind === "left") return { ...gathered, kind: "left", reason: standing.reason }
  const { lane } = standing
  if (lane !== "rules" && !gathered.qualifies) return { ...gathered, kind: "left", reason: "not about the task" }
  const block = renderItem(gathered.item, lane, request.now)
  const reason = [standing.reason, ...tellRelevance(gathered)].join(", ")
  return { ...gathered, kind: "applies", lane, block, tokens: countTokens(`${block}\n\n`), reason }
}

function tellRelevance(gathered: Gathered): string[] {
  if (gathered.insteadOf !== undefined) return [`replaces ${gathered.insteadOf}, which is about the task`]
  return gathered.signals && gathered.qualifies ? [tellSignals(gathered)] : []
}

/** The signals in a few words: why this item and not another. */
function tellSignals({ signals }: Gathered): string {
  const { coverage, static: table, minilm } = signals ?? {}
  const words = coverage === undefined || coverage === 0 ? [] : [`${Math.round(coverage * 100)} % of the task's words`]
  const meaning = minilm ?? table
  return `about the task: ${[...words, ...(meaning === undefined ? [] : [`likeness ${meaning.toFixed(2)}`])].join(", ")}`
}
