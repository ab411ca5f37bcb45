import { type Lane, lanes } from "./standing.ts"

/** How much of an item is shown: all of it; title, summary and the passage that matches; or one line to find it by. */
export type Form = "whole" | "excerpt" | "line"

/** A candidate that may be shown in a context. */
export type Applicant = {
  lane: Lane
  /** Above the relevance threshold. */
  qualifies: boolean
  /** The forms it can take, the most detailed first. */
  forms: readonly Form[]
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

export type Placed<Item> = { item: Item; form: Form; tokens: number }

/**
 * Chooses what is shown, in how much detail, and in which order. Learned memories are whole or absent, within their
 * share; warnings beyond theirs get a line. Rules and entries are all included whole while they fit. When the budget
 * binds: rules and relevant items first, then a line for each of the others by rank, and the remaining budget adds
 * detail.
 */
export function fit<Item extends Applicant>(
  applicants: readonly Item[],
  room: number,
  shares: Shares = defaultShares,
): Placed<Item>[] {
  const placed = new Map<Item, Placed<Item>>()
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

function detailed(item: Applicant): Form {
  const [first = "line"] = item.forms
  if (first === "whole" && item.cost("whole", short) <= short) return "whole"
  return item.forms.find((form) => form !== "whole") ?? first
}

function fullest(item: Applicant): Form {
  return item.forms[0] ?? "line"
}

function shortest(item: Applicant): Form {
  return item.forms.at(-1) ?? "line"
}

/** Stops counting as soon as the limit is exceeded. */
function fitsWhole(items: readonly Applicant[], room: number): boolean {
  let used = 0
  return items.every((item) => {
    used += item.cost(fullest(item), room - used)
    return used <= room
  })
}

/** Facts that the task names, then other relevant items, then the rest; each group keeps its order. */
function keyedFirst<Item extends Applicant>(items: readonly Item[]): Item[] {
  return [...items.filter(({ keyed }) => keyed === "named"), ...items.filter(({ keyed }) => keyed === "any")]
}
