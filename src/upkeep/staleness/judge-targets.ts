import type { Named } from "./name.ts"
import type { Checkout } from "./read-checkout.ts"
import { type Missing, readEarlier } from "./read-earlier.ts"
import { readTargets, type Targets } from "./read-targets.ts"
import type { Timeline } from "./timeline.ts"
import { toldByItself, type Verdict } from "./verdict.ts"

type NamedCommand = Named<"command">

/**
 * Checks commands by the manifests: a target is gone if a manifest defined it when it was written about, and none
 * defines it now.
 */
export async function judgeTargets(
  checkout: Checkout,
  named: readonly NamedCommand[],
  timeline: Timeline,
): Promise<Map<NamedCommand, Verdict>> {
  const verdicts = new Map<NamedCommand, Verdict>()
  if (named.length === 0) return verdicts
  const targets = readTargets(checkout)
  for (const each of named) {
    if (knows(targets, each)) verdicts.set(each, { state: "valid" })
    else if (targets.unread.has(each.name.runner))
      verdicts.set(each, { state: "unverifiable", reason: "a file that may define it is unreadable" })
  }
  const missing = named.flatMap((each) =>
    verdicts.has(each) || each.at === undefined ? [] : [{ each, asked: missingOf(each, each.at) }],
  )
  const traces = await readEarlier(
    checkout,
    missing.map(({ asked }) => asked),
    timeline,
  )
  for (const [index, { each }] of missing.entries()) {
    const last = traces[index]
    if (last) verdicts.set(each, each.name.told ? toldByItself : { state: "gone", last })
  }
  for (const each of named)
    if (!verdicts.has(each))
      verdicts.set(each, {
        state: "unverifiable",
        reason: "nothing defines it, and nothing is known to have defined it",
      })
  return verdicts
}

function knows({ known }: Targets, { name }: NamedCommand): boolean {
  const names = known.get(name.runner)
  if (!names) return false
  return names.has(name.target) || (name.runner === "make" && [...names].some((pattern) => fits(pattern, name.target)))
}

/** A make rule with `%` matches many targets. */
function fits(pattern: string, target: string): boolean {
  const [start = "", end, ...more] = pattern.split("%")
  return end !== undefined && more.length === 0 && target.startsWith(start) && target.endsWith(end)
}

function missingOf({ name }: NamedCommand, at: number): Missing {
  return { kind: "target", runner: name.runner, target: name.target, at }
}
