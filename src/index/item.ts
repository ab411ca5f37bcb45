import type { querySources } from "../formats/query.ts"
import type { LoadGuidance, MemoryClass } from "../governance/classify.ts"

export type ItemSource = (typeof querySources)[number]

/** Anything that can be recalled, as stored in the index. */
export type Item = {
  id: string
  source: ItemSource
  /**
   * decision, directive, note, memory, skill; guard, invariant… for learned memories; discovery, attempt, decision for
   * entries of a session.
   */
  type: string
  class: MemoryClass
  load: LoadGuidance
  /** `load` was set for this item; otherwise its class decides. */
  marked?: boolean
  title: string
  /** All searched text beside the title: summary, details, rationale. */
  text: string
  tags: string[]
  author: string
  contributors: string[]
  /** The agent that owns it; undefined: shared. Lower case. */
  agent: string | undefined
  scope: string
  pathPrefix: string | undefined
  path: string
  line: number
  /** Milliseconds since 1970; undefined if the item has no date. */
  at: number | undefined
  /** Only the day of `at` is known: its time of day is a placeholder and matches no reference. */
  dayOnly?: boolean
  expires: number | undefined
  governed: boolean
  /** Ids or timestamps that this item says it replaces, and ids that it says replaced it; resolved by the index. */
  supersedes: string[]
  supersededBy: string[]
  /** What clients show of it, as JSON that the index does not read. */
  payload: string
}
