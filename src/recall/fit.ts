import { type Lane, lanes } from "./standing.ts"

/** Something that would like to stand in a context, with what it costs. */
export type Applicant = {
  lane: Lane
  /** A learned fact under a key; these have a share of their own. */
  keyed?: "named" | "any"
  readonly tokens: number
  /** A cost that it has at least and that is known without counting; only whether it is above `limit` must be right. */
  least?(limit: number): number
}

export type Shares = {
  /** Rules come first, but may not crowd out everything about the task. */
  rules: number
  /** What learned memories may take together, warnings included. */
  learned: number
  warnings: number
  mostWarnings: number
  /** What facts under a key may take of that before the others have had their turn. */
  keyed: number
}

export const defaultShares: Shares = { rules: 0.5, learned: 400, warnings: 0.25, mostWarnings: 3, keyed: 0.4 }

/** What is kept stands in the order of the lanes; `reason` is put together when somebody asks: most of what is left out is never told. */
export type Fitting<Item> = { kept: Item[]; left: { item: Item; readonly reason: string }[] }

/**
 * Takes what fits, whole items only: warnings, then rules, learned memories (facts under a key first), the team's entries and the agent's history in the
 * order given, and at last the rules that had to wait. A smaller item may take a place that a larger one before it could not.
 */
export function fit<Item extends Applicant>(
  applicants: readonly Item[],
  room: number,
  shares: Shares = defaultShares,
): Fitting<Item> {
  const of = (...wanted: Lane[]) => applicants.filter(({ lane }) => wanted.includes(lane))
  const hasOthers = of("team", "own", "learned", "untrusted").length > 0
  const learned = Math.min(shares.learned, room)
  const taken = new Set<Item>()
  const left = new Map<Item, () => string>()
  let rest = room
  const take = (items: readonly Item[], limit: number, most = Number.POSITIVE_INFINITY): number => {
    let used = 0
    let count = 0
    for (const item of items) {
      if (taken.has(item)) continue
      const isTooLong = isOver(item, Math.min(rest, limit - used)) // most are, in the end, and counting takes time
      if (!isTooLong && count < most && item.tokens <= rest && used + item.tokens <= limit) {
        taken.add(item)
        left.delete(item)
        rest -= item.tokens
        used += item.tokens
        count++
      } else left.set(item, () => tellUnfit(item, room))
    }
    return used
  }
  const warned = take(of("warnings"), learned * shares.warnings, shares.mostWarnings)
  take(of("rules"), hasOthers ? room * shares.rules : room)
  const facts = take(keyedFirst(of("learned")), Math.min(learned * shares.keyed, learned - warned))
  take(of("learned"), learned - warned - facts)
  take(of("team", "own", "untrusted"), rest)
  take(of("rules"), rest)
  return {
    kept: lanes.flatMap((lane) => of(lane).filter((item) => taken.has(item))),
    left: [...left].map(([item, tell]) => ({
      item,
      get reason() {
        return tell()
      },
    })),
  }
}

/** What the task names, then what else bears on it, then the rest; each group in the order given. */
function keyedFirst<Item extends Applicant>(items: readonly Item[]): Item[] {
  return [...items.filter(({ keyed }) => keyed === "named"), ...items.filter(({ keyed }) => keyed === "any")]
}

function isOver(item: Applicant, limit: number): boolean {
  return item.least !== undefined && item.least(limit) > limit
}

function tellUnfit(item: Applicant, room: number): string {
  return `${item.tokens > room ? "larger than the whole budget" : "does not fit"}: it takes ${item.tokens} tokens`
}
