import type { Gathered } from "./gather.ts"
import type { RecallParts } from "./recall-parts.ts"
import { renderItem } from "./render-context.ts"
import { type Lane, type StandingRequest, standingOf } from "./standing.ts"

/** What becomes of a gathered item before the budget is looked at. */
export type Judged = Gathered & { reason: string; readonly tokens: number } & (
    | { kind: "applies"; lane: Lane; readonly block: string; least(limit: number): number }
    | { kind: "left" }
  )

export type Applied = Judged & { kind: "applies" }

export function judge(
  gathered: Gathered,
  request: StandingRequest,
  { countTokens, noteOn }: Pick<RecallParts, "countTokens" | "noteOn">,
): Judged {
  const standing = standingOf(gathered.item, request)
  const lane = standing.kind === "may stand" ? standing.lane : undefined
  // Rendered and counted when somebody asks: most items come too late for the budget.
  const rendered = once(() => renderItem(gathered.item, lane ?? "team", request.now, noteOn))
  const counted = once(() => countTokens(`${rendered()}\n\n`))
  const left = (reason: string): Judged => ({
    ...gathered,
    kind: "left",
    reason,
    get tokens() {
      return counted()
    },
  })
  if (standing.kind === "left") return left(standing.reason)
  if (standing.lane !== "rules" && !gathered.qualifies) return left("not about the task")
  return {
    ...gathered,
    kind: "applies",
    lane: standing.lane,
    reason: [standing.reason, ...tellRelevance(gathered)].join(", "),
    least: (limit) => countWords(gathered.item.text, limit),
    get block() {
      return rendered()
    },
    get tokens() {
      return counted()
    },
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** No token reaches over white space into the next word, so there are at least as many; only such with visible ASCII count. Stops above the limit. */
function countWords(text: string, limit: number): number {
  let words = 0
  let isBetween = true
  for (let at = 0; at < text.length && words <= limit; at++) {
    const code = text.charCodeAt(at)
    if (code <= 32) isBetween = true
    else if (isBetween && code < 127) {
      words++
      isBetween = false
    }
  }
  return words
}

function tellRelevance(gathered: Gathered): string[] {
  if (gathered.insteadOf !== undefined) return [`replaces ${gathered.insteadOf}, which is about the task`]
  if (gathered.keyed === "named") return ["the task names what it is about"]
  return gathered.signals && gathered.qualifies ? [tellSignals(gathered)] : []
}

/** The signals in a few words: why this item and not another. */
function tellSignals({ signals }: Gathered): string {
  const { coverage, static: table, minilm } = signals ?? {}
  const words = coverage === undefined || coverage === 0 ? [] : [`${Math.round(coverage * 100)} % of the task's words`]
  const meaning = minilm ?? table
  return `about the task: ${[...words, ...(meaning === undefined ? [] : [`likeness ${meaning.toFixed(2)}`])].join(", ")}`
}
