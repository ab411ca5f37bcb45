import type { Named } from "./name.ts"
import type { Checkout } from "./read-checkout.ts"
import { type Missing, readEarlier } from "./read-earlier.ts"
import { scanFiles } from "./scan-words.ts"
import type { Timeline } from "./timeline.ts"
import { toldByItself, type Verdict } from "./verdict.ts"

type NamedSymbol = Named<"symbol">

/**
 * Checks symbols by the words of all files: a symbol is gone if source code had it when it was written about, and no
 * file has it now.
 */
export async function judgeSymbols(
  checkout: Checkout,
  named: readonly NamedSymbol[],
  timeline: Timeline,
): Promise<Map<NamedSymbol, Verdict>> {
  const verdicts = new Map<NamedSymbol, Verdict>()
  if (named.length === 0) return verdicts
  const found = await scanFiles(checkout, new Set(named.flatMap(({ name }) => name.words)))
  const missing = named.flatMap((each) => {
    const words = each.name.words.filter((word) => !found.code.has(word))
    if (words.length === 0) verdicts.set(each, { state: "valid" })
    return words.map((word) => ({ each, word }))
  })
  const dated = missing.flatMap(({ each, word }) =>
    each.at === undefined ? [] : [{ each, asked: { kind: "word", word, at: each.at } satisfies Missing }],
  )
  const traces = await readEarlier(
    checkout,
    dated.map(({ asked }) => asked),
    timeline,
  )
  for (const [index, { each }] of dated.entries()) {
    const last = traces[index]
    if (last) verdicts.set(each, each.name.told ? toldByItself : { state: "gone", last })
  }
  for (const { each } of missing) {
    if (verdicts.has(each)) continue
    const isInProse = each.name.words.every((word) => found.code.has(word) || found.prose.has(word))
    verdicts.set(
      each,
      isInProse
        ? { state: "valid" }
        : { state: "unverifiable", reason: "no file has it, and no earlier file is known to have had it" },
    )
  }
  return verdicts
}
