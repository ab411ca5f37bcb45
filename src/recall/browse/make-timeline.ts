import { mondayOf } from "../../squad/stats.ts"
import type { ItemRow } from "./item-row.ts"

/** Dated items, oldest first, by column; `type` is an index into `types`. */
export type ItemTimeline = {
  types: string[]
  at: number[]
  type: number[]
  ids: string[]
  /** Per week: decisions, added items, and the total at its end. */
  weeks: { start: number; decisions: number; added: number; total: number }[]
}

const week = 7 * 86_400_000
/** Ten years; older items count only in the total. */
const mostWeeks = 520

export function makeTimeline(found: readonly { row: Pick<ItemRow, "id" | "at" | "type" | "source"> }[]): ItemTimeline {
  const dated = found
    .flatMap(({ row }) => (row.at === null ? [] : { at: row.at, type: row.type, id: row.id, source: row.source }))
    .sort((one, other) => one.at - other.at)
  const types = [...new Set(dated.map(({ type }) => type))].sort()
  const placeOf = new Map(types.map((type, place) => [type, place]))
  return {
    types,
    at: dated.map(({ at }) => at),
    type: dated.map(({ type }) => placeOf.get(type) ?? 0),
    ids: dated.map(({ id }) => id),
    weeks: countWeeks(
      dated.map(({ at, type, source }) => ({ at, isDecision: type === "decision" && source !== "session" })),
    ),
  }
}

function countWeeks(dated: readonly { at: number; isDecision: boolean }[]): ItemTimeline["weeks"] {
  const [first] = dated
  const last = dated.at(-1)
  if (!first || !last) return []
  const end = mondayOf(last.at)
  const start = Math.max(mondayOf(first.at), end - (mostWeeks - 1) * week)
  const weeks = Array.from({ length: (end - start) / week + 1 }, (_, at) => ({
    start: start + at * week,
    decisions: 0,
    added: 0,
    total: 0,
  }))
  let total = 0
  for (const { at, isDecision } of dated) {
    const counted = weeks[Math.floor((at - start) / week)]
    if (!counted) {
      total++
      continue
    }
    counted.added++
    if (isDecision) counted.decisions++
  }
  for (const each of weeks) {
    total += each.added
    each.total = total
  }
  return weeks
}
