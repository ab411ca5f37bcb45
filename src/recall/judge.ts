import type { StoredItem } from "../index/index-store.ts"
import type { Applicant, Form } from "./fit.ts"
import type { Gathered } from "./gather.ts"
import type { RecallParts } from "./recall-parts.ts"
import { type FormRequest, lineEnd, partEnd, renderForm } from "./render-context.ts"
import { type Lane, type StandingRequest, standingOf } from "./standing.ts"

/** The result for a gathered item before the budget is applied. */
export type Judged = Gathered & { reason: string } & (({ kind: "applies" } & Rendered) | { kind: "left" })

export type Applied = Judged & { kind: "applies" }

/** Forms are rendered and counted lazily: most items come too late for the budget. */
type Rendered = Applicant & { lane: Lane; block(form: Form): string }

export type JudgeRequest = StandingRequest & {
  task: string
  /** Ids of items already shown as one line: only more detail is new. */
  listed?: ReadonlySet<string>
  /** By item id, the id of the newer item that probably replaced it without a link. */
  replacedBy?: ReadonlyMap<string, string>
}

export function judge(
  gathered: Gathered,
  request: JudgeRequest,
  parts: Pick<RecallParts, "countTokens" | "noteOn">,
): Judged {
  const { item, qualifies } = gathered
  const standing = standingOf(item, request)
  if (standing.kind === "left") return { ...gathered, kind: "left", reason: standing.reason }
  const { lane } = standing
  if (!qualifies && needsRelevance(item)) return { ...gathered, kind: "left", reason: "not relevant to the task" }
  const isListed = request.listed?.has(item.id) === true
  if (isListed && !qualifies) return { ...gathered, kind: "left", reason: "named in this session already" }
  const replacedBy = request.replacedBy?.get(item.id)
  const reason = [standing.reason, ...(replacedBy === undefined ? [] : [`probably replaced by ${replacedBy}`])]
  const forms = replacedBy !== undefined ? (["line"] as const) : formsOf(lane, isListed)
  return {
    ...gathered,
    kind: "applies",
    qualifies: qualifies && replacedBy === undefined,
    reason: [...reason, ...tellRelevance(gathered)].join(", "),
    ...renderer(
      item,
      lane,
      { ...request, contradicts: gathered.contradicts, replacedBy, passages: gathered.passages },
      parts,
    ),
    forms,
  }
}

/** Everything else is included while it fits, relevant or not. */
function needsRelevance(item: StoredItem): boolean {
  return (
    item.source === "learned" ||
    item.source === "skills" ||
    item.source === "archive" ||
    (item.load === "ON-DEMAND" && (item.governed || item.marked === true))
  )
}

function formsOf(lane: Lane, isListed: boolean): readonly Form[] {
  if (lane === "warnings") return ["whole", "line"]
  if (lane === "learned") return ["whole"]
  return isListed ? ["whole", "excerpt"] : ["whole", "excerpt", "line"]
}

function renderer(
  item: StoredItem,
  lane: Lane,
  request: Omit<FormRequest, "lane" | "noteOn">,
  { countTokens, noteOn }: Pick<RecallParts, "countTokens" | "noteOn">,
): Pick<Rendered, "lane" | "block" | "cost"> {
  const blocks = new Map<Form, { text: string; tokens?: number }>()
  const rendered = (form: Form) => {
    const made = blocks.get(form) ?? { text: renderForm(item, form, { lane, noteOn, ...request }) }
    blocks.set(form, made)
    return made
  }
  return {
    lane,
    block: (form) => rendered(form).text,
    cost(form, limit = Number.POSITIVE_INFINITY) {
      if (form === "whole" && item.text.length / longestToken > limit) return item.text.length
      const made = rendered(form)
      made.tokens ??= countTokens(made.text + (form === "line" ? lineEnd : partEnd))
      return made.tokens
    },
  }
}

/** No text has fewer tokens than one per this many characters. */
const longestToken = 12

function tellRelevance(gathered: Gathered): string[] {
  if (gathered.insteadOf !== undefined) return [`replaces ${gathered.insteadOf}, which is relevant to the task`]
  if (gathered.keyed === "named") return ["the task names its topic"]
  return gathered.signals && gathered.qualifies ? [tellSignals(gathered)] : []
}

/** The signals in a few words. */
function tellSignals({ signals }: Gathered): string {
  const { coverage, static: table, minilm } = signals ?? {}
  const words = coverage === undefined || coverage === 0 ? [] : [`${Math.round(coverage * 100)} % of the task's words`]
  const meaning = minilm ?? table
  return `relevant to the task: ${[...words, ...(meaning === undefined ? [] : [`similarity ${meaning.toFixed(2)}`])].join(", ")}`
}
