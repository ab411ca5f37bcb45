import { describeVerdict } from "./describe-verdict.ts"
import { findNames } from "./find-names.ts"
import { judgePaths } from "./judge-paths.ts"
import { judgeSymbols } from "./judge-symbols.ts"
import { judgeTargets } from "./judge-targets.ts"
import type { Name, Named } from "./name.ts"
import { readCheckout } from "./read-checkout.ts"
import { openTimeline } from "./timeline.ts"
import type { JudgedItem, JudgedName, Verdict } from "./verdict.ts"

/** The relevant part of an item; `at` is when it was written, in milliseconds. */
export type DatedText = { id: string; text: string; at: number | undefined }

/**
 * Finds the names in items and checks whether they still exist in the surrounding repository. Read-only. `keptAt` is a
 * cache for git's log of deletions, which is slow to read in a large repository.
 */
export async function judgeItems(folder: string, items: readonly DatedText[], keptAt?: string): Promise<JudgedItem[]> {
  const found = items.map(({ id, text, at }) => ({ id, named: findNames(text).map((name): Named => ({ name, at })) }))
  const all = found.flatMap(({ named }) => named)
  if (all.length === 0) return items.map(({ id }) => ({ id, names: [] }))
  const checkout = await readCheckout(folder)
  const timeline = openTimeline(checkout.root)
  const verdicts = new Map<Named, Verdict>([
    ...(await judgePaths(checkout, all.filter(isOf("path")), { timeline, keptAt })),
    ...(await judgeTargets(checkout, all.filter(isOf("command")), timeline)),
    ...(await judgeSymbols(checkout, all.filter(isOf("symbol")), timeline)),
  ])
  return found.map(({ id, named }) => ({
    id,
    names: named.flatMap((each) => {
      const verdict = verdicts.get(each)
      return verdict ? [toJudged(each.name, verdict)] : []
    }),
  }))
}

function toJudged(name: Name, verdict: Verdict): JudgedName {
  const { kind, text } = name
  const path = kind === "path" ? { path: name.path } : {}
  return { kind, text, ...path, verdict, words: describeVerdict(name, verdict) }
}

function isOf<Kind extends Name["kind"]>(kind: Kind) {
  return (named: Named): named is Named<Kind> => named.name.kind === kind
}
