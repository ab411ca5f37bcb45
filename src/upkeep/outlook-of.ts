import type { Policy } from "../formats/policy.ts"
import type { Memory } from "../store/memory.ts"
import { addDays } from "./days.ts"
import { endingOf, fewestFailures, protectionOf } from "./ending-of.ts"
import { deservesPromotion } from "./evaluate.ts"
import { rulesFor } from "./rules-for.ts"
import { countOf, timesAsked, timesOf, useRatio } from "./use-record.ts"

/** What would promote a memory, and what would end it, for whoever asks why it is there. */
export function outlookOf(memory: Memory, policy: Policy, now: string): string[] {
  if (memory.status === "deprecated") return ["It has ended; nothing brings it back by itself."]
  if (deservesPromotion(memory, policy)) return ["It will be promoted at the next evaluation."]
  const promotion = memory.status === "provisional" ? [promotionOutlook(memory, policy)] : []
  const protection = protectionOf(memory)
  if (protection !== undefined) return [...promotion, `It never ends by itself: ${protection}.`]
  const ending = endingOf(memory, policy, now)
  if (ending) return [...promotion, `It will end at the next evaluation: ${ending.reason}.`]
  return [...promotion, ...endOutlook(memory, policy)]
}

function promotionOutlook(memory: Memory, policy: Policy): string {
  const { min_opportunities, min_use_ratio, min_regret_hits } = rulesFor(memory, policy).promotion
  const { hits, misses } = memory.metrics
  const helps = min_regret_hits - (hits - misses)
  const missing: string[] = []
  const asked = timesAsked(memory)
  if (asked < min_opportunities)
    missing.push(`be a candidate for ${countOf(min_opportunities - asked, "more context")}`)
  if (useRatio(memory) < min_use_ratio)
    missing.push(`be in ${percent(min_use_ratio)} of the contexts it could be in (so far ${percent(useRatio(memory))})`)
  if (helps > 0)
    missing.push(`help in ${countOf(helps, "more task")}${misses > 0 ? ", as each failure takes back a help" : ""}`)
  return `To be promoted it must ${new Intl.ListFormat("en").format(missing)}.`
}

function endOutlook(memory: Memory, policy: Policy): string[] {
  const { deprecation, decayDays } = rulesFor(memory, policy)
  const { misses, lastUsed } = memory.metrics
  const chances = `It ends when it is in ${percent(deprecation.max_use_ratio)} or less of at least ${deprecation.min_opportunities} contexts it could be in`
  const outlook: string[] = []
  if (memory.status === "provisional") outlook.push(`${chances}.`)
  else if (decayDays !== undefined) outlook.push(`${chances} and nobody uses it for ${decayDays / 2} days.`)
  if (decayDays !== undefined) {
    const last = addDays(lastUsed ?? memory.created, decayDays).slice(0, 10)
    outlook.push(`It ends when it is not used for ${decayDays} days, that is after ${last}.`)
  }
  if (misses > 0 && memory.origin !== "user") outlook.push(failureOutlook(memory))
  if (memory.expires !== undefined)
    outlook.push(`It ends on ${memory.expires.slice(0, 10)}, unless it is promoted before.`)
  return outlook
}

function failureOutlook({ status, metrics: { hits, misses } }: Memory): string {
  const soFar = `so far it failed ${timesOf(misses)} and helped ${hits === 0 ? "never" : timesOf(hits)}`
  return status === "active"
    ? `It goes back on trial when it has failed as often as it helped; ${soFar}.`
    : `It ends when it has failed ${fewestFailures} times and twice as often as it helped; ${soFar}.`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
