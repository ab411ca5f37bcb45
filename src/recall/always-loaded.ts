import { gather } from "./gather.ts"
import { judge } from "./judge.ts"
import type { RecallParts } from "./recall-parts.ts"
import { renderContext, type Shown } from "./render-context.ts"

/** Rules for all agents and tasks, newest first, below the caller's heading; whole rules only, within the budget. */
export async function renderAlwaysLoaded(parts: RecallParts, lead: string, budget: number): Promise<string> {
  const request = { agent: undefined, paths: [], task: "", now: parts.now().getTime() }
  const gathered = await gather(parts, { agent: undefined })
  const rules = gathered
    .map((each) => judge(each, request, { countTokens: parts.countTokens }))
    .flatMap((each) => (each.kind === "applies" && each.lane === "rules" ? [each] : []))
    .sort(({ item: one }, { item: other }) => (other.at ?? 0) - (one.at ?? 0) || (one.id < other.id ? -1 : 1))
  const shown: Shown[] = []
  let text = lead
  for (const { lane, block } of rules) {
    const rule: Shown = { lane, form: "whole", block: block("whole") }
    const longer = `${lead}\n\n${renderContext("always", [...shown, rule])}`
    if (parts.countTokens(longer) > budget) continue // a shorter one may still fit
    shown.push(rule)
    text = longer
  }
  return text
}
