import type { StoredItem } from "../../index/index-store.ts"
import { type EligibilityRequest, eligibilityOf, type Lane, lanes } from "../eligibility.ts"
import type { RecallParts } from "../recall-parts.ts"
import { type FormRequest, leastLines, lineEnd, partEnd, renderForm } from "./context-text.ts"
import type { Gathered } from "./gather.ts"
import type { Replacements } from "./replaced-entries.ts"

/** How much of an item is shown: all of it; title, summary and the passage that matches; or one line to find it by. */
export type Form = "whole" | "excerpt" | "line"

/** A candidate that may be shown in a context. */
export type ContextCandidate = {
  lane: Lane
  /** Above the relevance threshold. */
  qualifies: boolean
  /** The forms it can take, the most detailed first. */
  forms: readonly Form[]
  /** The last of them, which may be known before the others. */
  shortest: Form
  /** A learned fact under a key; these have a share of their own. */
  keyed?: "named" | "any"
  /**
   * The cost of a form in tokens; above `limit` any larger number may be returned, so that long texts need not be
   * counted.
   */
  cost(form: Form, limit?: number): number
}

export type Shares = {
  /** When the budget binds: the most that rules take before relevant items. */
  rules: number
  /** When the budget binds: the most that details of relevant items take before the others get a line. */
  details: number
  /** The most that learned memories take together, in tokens, warnings included. */
  learned: number
  warnings: number
  mostWarnings: number
  /** The part of it for facts with a key before the other memories. */
  keyed: number
}

export const defaultShares: Shares = {
  rules: 0.5,
  details: 0.5,
  learned: 400,
  warnings: 0.25,
  mostWarnings: 3,
  keyed: 0.4,
}

export type PlacedItem<Item> = { item: Item; form: Form; tokens: number }

/**
 * Chooses what is shown, in how much detail, and in which order. Learned memories are whole or absent, within their
 * share; warnings beyond theirs get a line. Rules and entries are all included whole while they fit. When the budget
 * binds: rules and relevant items first, then a line for each of the others by rank, and the remaining budget adds
 * detail.
 */
export function fit<Item extends ContextCandidate>(
  applicants: readonly Item[],
  room: number,
  shares: Shares = defaultShares,
): PlacedItem<Item>[] {
  const placed = new Map<Item, PlacedItem<Item>>()
  let rest = Math.max(0, room)
  const place = (item: Item, form: Form, limit = rest): number => {
    const before = placed.get(item)?.tokens ?? 0
    const most = Math.min(rest, limit)
    const tokens = item.cost(form, before + most)
    const added = tokens - before
    if (added > most) return 0
    placed.set(item, { item, form, tokens })
    rest -= added
    return added
  }
  const fill = (items: readonly Item[], form: (item: Item) => Form, limit = rest, most = Number.POSITIVE_INFINITY) => {
    let used = 0
    let count = 0
    for (const item of items) {
      if (placed.has(item) || count >= most) continue
      used += place(item, form(item), limit - used)
      if (placed.has(item)) count++
    }
    return used
  }

  const of = (...wanted: Lane[]) => applicants.filter(({ lane }) => wanted.includes(lane))
  const learned = Math.min(shares.learned, rest)
  const warned = fill(of("warnings"), fullest, learned * shares.warnings, shares.mostWarnings)
  const facts = fill(keyedFirst(of("learned")), fullest, Math.min(learned * shares.keyed, learned - warned))
  fill(of("learned"), fullest, learned - warned - facts)

  const rules = of("rules")
  const others = of("team", "own", "untrusted")
  const written = [...rules, ...others]
  if (fitsWhole(written, rest)) for (const item of written) place(item, fullest(item))
  else {
    const relevant = others.filter(({ qualifies }) => qualifies)
    fill(rules, shortest, others.length === 0 ? rest : room * shares.rules)
    fill(relevant, (item) => detailed(item), rest * shares.details)
    fill(relevant, shortest)
    fill(others, shortest)
    fill(rules, shortest)
    for (const item of [...relevant, ...rules, ...others]) {
      if (rest < leastDetail) break
      const now = placed.get(item)
      for (const form of now ? item.forms.slice(0, item.forms.indexOf(now.form)) : []) if (place(item, form) > 0) break
    }
  }
  fill(of("warnings"), shortest)
  return lanes.flatMap((lane) => of(lane).flatMap((item) => placed.get(item) ?? []))
}

/** With less budget left, more detail is not worth reading. */
const leastDetail = 20

/** Up to this many tokens an item is short: it is shown whole where it is relevant. */
const short = 160

function detailed(item: ContextCandidate): Form {
  const [first = "line"] = item.forms
  if (first === "whole" && item.cost("whole", short) <= short) return "whole"
  return item.forms.find((form) => form !== "whole") ?? first
}

function fullest(item: ContextCandidate): Form {
  return item.forms[0] ?? "line"
}

function shortest(item: ContextCandidate): Form {
  return item.shortest
}

/** Stops counting as soon as the limit is exceeded. */
function fitsWhole(items: readonly ContextCandidate[], room: number): boolean {
  let used = 0
  return items.every((item) => {
    used += item.cost(fullest(item), room - used)
    return used <= room
  })
}

/** Facts that the task names, then other relevant items, then the rest; each group keeps its order. */
function keyedFirst<Item extends ContextCandidate>(items: readonly Item[]): Item[] {
  return [...items.filter(({ keyed }) => keyed === "named"), ...items.filter(({ keyed }) => keyed === "any")]
}

/** The result for a gathered item before the budget is applied. */
export type JudgedItems = Gathered & { reason: string } & (({ kind: "applies" } & Rendered) | { kind: "left" })

export type Applied = JudgedItems & { kind: "applies" }

/** Forms are rendered and counted lazily: most items come too late for the budget. */
type Rendered = ContextCandidate & { lane: Lane; block(form: Form): string }

export type JudgeRequest = EligibilityRequest & {
  task: string
  /** Ids of items already shown as one line: only more detail is new. */
  listed?: ReadonlySet<string>
  /** By item id, the id of the newer item that probably replaced it without a link. */
  replacedBy?: Replacements
}

export function judge(
  gathered: Gathered,
  request: JudgeRequest,
  parts: Pick<RecallParts, "countTokens" | "noteOn">,
): JudgedItems {
  const { item, qualifies } = gathered
  const standing = eligibilityOf(item, request)
  if (standing.kind === "left") return { ...gathered, kind: "left", reason: standing.reason }
  const { lane } = standing
  if (!qualifies && needsRelevance(item)) return { ...gathered, kind: "left", reason: "not relevant to the task" }
  const isListed = request.listed?.has(item.id) === true
  if (isListed && !qualifies) return { ...gathered, kind: "left", reason: "named in this session already" }
  const replacedBy = () => request.replacedBy?.get(item.id) // asked for as late as possible: it takes time to find out
  return {
    ...gathered,
    kind: "applies",
    get qualifies() {
      return qualifies && replacedBy() === undefined
    },
    get reason() {
      const by = replacedBy()
      const facts = [standing.reason, ...(by === undefined ? [] : [`probably replaced by ${by}`])]
      return [...facts, ...tellRelevance(gathered)].join(", ")
    },
    get shortest() {
      return lane !== "learned" && !isListed ? "line" : (this.forms.at(-1) ?? "line")
    },
    get forms() {
      return replacedBy() === undefined ? formsOf(lane, isListed) : (["line"] as const)
    },
    ...renderer(
      item,
      lane,
      { ...request, contradicts: gathered.contradicts, replacedBy, passages: gathered.passages },
      parts,
    ),
  }
}

/** Everything else is included while it fits, relevant or not. */
function needsRelevance(item: StoredItem): boolean {
  return (
    item.source === "learned" ||
    item.type === "skill" ||
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
  {
    replacedBy,
    ...request
  }: Omit<FormRequest, "lane" | "noteOn" | "replacedBy"> & {
    replacedBy: () => string | undefined
  },
  { countTokens, noteOn }: Pick<RecallParts, "countTokens" | "noteOn">,
): Pick<Rendered, "lane" | "block" | "cost"> {
  const { now, contradicts } = request
  const known = knownTexts(item)
  const isDue = item.expires !== undefined && item.expires <= now
  const make = (form: Form) => renderForm(item, form, { ...request, lane, noteOn, replacedBy: replacedBy() })
  const blocks = new Map<Form, string>()
  const rendered = (form: Form) => {
    const made = blocks.get(form) ?? (form === "excerpt" ? make(form) : once(known, keyOf(form), () => make(form)))
    blocks.set(form, made)
    return made
  }
  /** All that a text depends on besides the item; an excerpt depends on the task too. */
  const keyOf = (form: Form) =>
    form === "line" ? `line\0${isDue}\0${replacedBy()}` : [form, lane, isDue, contradicts, noteOn?.(item)].join("\0")
  /** What a line takes at least, whether or not the item was replaced. */
  let least: number | undefined
  const leastOfLine = () => {
    const lines = [0, 1].map((at) => once(known, `least ${at} ${isDue}`, () => leastLines(item, now)[at] ?? ""))
    least ??= Math.min(...lines.map(countTokens))
    return least
  }
  return {
    lane,
    block: rendered,
    cost(form, limit = Number.POSITIVE_INFINITY) {
      if (form === "whole" && item.text.length / longestToken > limit) return item.text.length
      if (form === "line" && !blocks.has(form) && leastOfLine() > limit) return leastOfLine()
      return countTokens(rendered(form) + (form === "line" ? lineEnd : partEnd))
    },
  }
}

/** Texts made of an item, by what else they depend on. An index hands out one object for an item while nothing changes. */
const textsOf = new WeakMap<StoredItem, Map<string, string>>()

function knownTexts(item: StoredItem): Map<string, string> {
  const known = textsOf.get(item) ?? new Map<string, string>()
  textsOf.set(item, known)
  return known
}

function once(known: Map<string, string> | undefined, key: string, make: () => string): string {
  const before = known?.get(key)
  if (before !== undefined) return before
  const text = make()
  if (known && known.size >= mostTexts) known.clear()
  known?.set(key, text)
  return text
}

const mostTexts = 8

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
