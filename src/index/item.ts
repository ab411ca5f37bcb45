import type { querySources } from "../formats/query.ts"
import type { LoadGuidance, MemoryClass } from "../governance/classify.ts"

export type ItemSource = (typeof querySources)[number]

/** Anything that can be recalled, as the index keeps it. */
export type Item = {
  id: string
  source: ItemSource
  /**
   * decision, directive, note, memory, skill; guard, invariant… for what was learned; discovery, attempt, decision for
   * what a session noted.
   */
  type: string
  class: MemoryClass
  load: LoadGuidance
  /** `load` was set for this item; without it, its class decides. */
  marked?: boolean
  title: string
  /** All that is searched beside the title: summary, details, rationale. */
  text: string
  tags: string[]
  author: string
  contributors: string[]
  /** The one agent whose it is; undefined: everybody's. Lower case. */
  agent: string | undefined
  scope: string
  pathPrefix: string | undefined
  path: string
  line: number
  /** Milliseconds since 1970; undefined when the item has no date. */
  at: number | undefined
  /** Only the day of `at` is known: its time of day was invented and names nothing. */
  dayOnly?: boolean
  expires: number | undefined
  governed: boolean
  /** Ids or timestamps this item says it replaces, and ids it says replaced it; resolved by the index. */
  supersedes: string[]
  supersededBy: string[]
  /** What a face shows of it, as JSON the index does not look into. */
  payload: string
}
