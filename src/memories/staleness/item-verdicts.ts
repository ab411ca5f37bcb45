import { type Checkout, readCheckout, scanFiles } from "./checkout.ts"
import { type Missing, readEarlier } from "./earlier-trees.ts"
import { type GitTimeline, openTimeline } from "./git-history.ts"
import { announcedChange, describeVerdict, type JudgedItem, type JudgedName, type NameVerdict } from "./name-verdict.ts"
import { type DatedName, findNames, type Name } from "./names.ts"
import { judgePaths } from "./path-verdicts.ts"
import { readTargets, type Targets } from "./script-targets.ts"

/** The relevant part of an item; `at` is when it was written, in milliseconds. */
export type DatedText = { id: string; text: string; at: number | undefined }

/**
 * Finds the names in items and checks whether they still exist in the surrounding repository. Read-only. `keptAt` is a
 * cache for git's log of deletions, which is slow to read in a large repository.
 */
export async function judgeItems(folder: string, items: readonly DatedText[], keptAt?: string): Promise<JudgedItem[]> {
  const found = items.map(({ id, text, at }) => ({
    id,
    named: findNames(text).map((name): DatedName => ({ name, at })),
  }))
  const all = found.flatMap(({ named }) => named)
  if (all.length === 0) return items.map(({ id }) => ({ id, names: [] }))
  const checkout = await readCheckout(folder)
  const timeline = openTimeline(checkout.root)
  const verdicts = new Map<DatedName, NameVerdict>([
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

function toJudged(name: Name, verdict: NameVerdict): JudgedName {
  const { kind, text } = name
  const path = kind === "path" ? { path: name.path } : {}
  return { kind, text, ...path, verdict, words: describeVerdict(name, verdict) }
}

function isOf<Kind extends Name["kind"]>(kind: Kind) {
  return (named: DatedName): named is DatedName<Kind> => named.name.kind === kind
}

type NamedSymbol = DatedName<"symbol">

/**
 * Checks symbols by the words of all files: a symbol is gone if source code had it when it was written about, and no
 * file has it now.
 */
async function judgeSymbols(
  checkout: Checkout,
  named: readonly NamedSymbol[],
  timeline: GitTimeline,
): Promise<Map<NamedSymbol, NameVerdict>> {
  const verdicts = new Map<NamedSymbol, NameVerdict>()
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
    if (last) verdicts.set(each, each.name.told ? announcedChange : { state: "gone", last })
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

type NamedCommand = DatedName<"command">

/**
 * Checks commands by the manifests: a target is gone if a manifest defined it when it was written about, and none
 * defines it now.
 */
async function judgeTargets(
  checkout: Checkout,
  named: readonly NamedCommand[],
  timeline: GitTimeline,
): Promise<Map<NamedCommand, NameVerdict>> {
  const verdicts = new Map<NamedCommand, NameVerdict>()
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
    if (last) verdicts.set(each, each.name.told ? announcedChange : { state: "gone", last })
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
