import { agentKey } from "../formats/agent-key.ts"
import { quoteInline } from "../formats/quote.ts"
import { truncate } from "../formats/truncate.ts"
import { costCounter, isTold } from "./build-context.ts"
import { defaultShares, fit, type Placed, type Shares } from "./fit.ts"
import { type Gathered, gather, mostRules } from "./gather.ts"
import { type Asking, type HandOut, handOut, handOutId } from "./hand-out.ts"
import { type Applied, judge } from "./judge.ts"
import { withoutTwins } from "./precedence.ts"
import type { OpenEnd } from "./read-open-ends.ts"
import type { RecallParts } from "./recall-parts.ts"
import { contextParts, openingOf, partEnd, wrapParts } from "./render-context.ts"
import { findReplaced } from "./replaced.ts"

export type PackRequest = Asking & {
  budget?: number | undefined
  /** The agent's working directories, relative to the repository root. */
  paths?: readonly string[] | undefined
  /** The longest text that the client does not truncate. */
  maxCharacters?: number | undefined
  /** Ids the agent has already seen. */
  told?: readonly string[] | undefined
}

export const packBudget = 2000
const shares: Shares = { ...defaultShares, rules: 0.7, learned: 300, warnings: 1, mostWarnings: 8, keyed: 0 }
const openShare = 0.3
const mostOpenEnds = 8
const longestEnd = 200

/**
 * What an agent should know before its first task: guards, rules, open ends, and all active entries, one line each if
 * they do not fit. Undefined if there is nothing.
 */
export async function buildSessionPack(
  given: RecallParts,
  request: PackRequest,
  leftOpen: readonly OpenEnd[],
): Promise<HandOut | undefined> {
  const { budget = packBudget, paths = [] } = request
  const parts = { ...given, countTokens: costCounter(given, { ...request, budget }) }
  const now = parts.now().getTime()
  const agent = agentKey(request.agent)
  const told = new Set(request.told)
  const all = await gatherAll(parts, agent, paths)
  const gathered = all.filter(({ item }) => !isTold(item.id, told))
  const minConfidence = parts.learned?.settings.min_confidence
  const replacedBy = findReplaced(
    all.map(({ item }) => item),
    parts.embedNow,
  )
  const standing = { agent, paths, task: "", now, minConfidence, replacedBy, untrusted: parts.untrusted }
  const applied = gathered.map((each) => judge(each, standing, parts)).filter((each) => each.kind === "applies")
  const taskId = handOutId(parts, "session start", request)
  const write = (kept: readonly Placed<Applied>[], open: readonly string[]) => {
    const blocks = kept.map(({ item, form }) => ({ lane: item.lane, form, block: item.block(form) }))
    return wrapParts(taskId, openingOf(parts.untrusted), [...contextParts(taskId, blocks).slice(1, -1), ...open]).join(
      partEnd,
    )
  }
  const open = parts.untrusted ? [] : renderOpenEnds(parts, leftOpen, budget * openShare)
  let kept = fit(applied, budget - parts.countTokens(write([], open)), shares)
  while (kept.length > 0 && parts.countTokens(write(kept, open)) > budget) kept = kept.slice(0, -1) // headings cost tokens too
  if (kept.length + open.length === 0) return undefined
  return handOut(
    given,
    { occasion: "session start", asking: request, taskId, text: write(kept, open) },
    { items: kept.map(toHanded), budget, left: applied.length - kept.length },
  )
}

async function gatherAll(parts: RecallParts, agent: string | undefined, paths: readonly string[]): Promise<Gathered[]> {
  const now = parts.now().getTime()
  const learned = { sources: ["learned" as const], types: ["guard"] }
  const guards = withoutTwins(await parts.index.select(learned, { now, limit: mostRules }))
  const warnings = guards.map((item) => ({ item, score: 0, relevance: 0, qualifies: true, signals: undefined }))
  return [...warnings, ...(await gather(parts, { agent, paths }))]
}

function toHanded({ item: { item, reason }, form, tokens }: Placed<Applied>) {
  return { id: item.id, form, isLearned: item.source === "learned", tokens, reason }
}

/** Grouped by agent and session; what does not fit is dropped from the end. */
function renderOpenEnds(parts: RecallParts, open: readonly OpenEnd[], room: number): string[] {
  const render = (ends: readonly OpenEnd[]) => {
    const lines = ends.flatMap((end, at) => {
      const place = placeOf(end)
      const isNew = at === 0 || place !== placeOf(ends[at - 1] ?? end)
      return [...(isNew ? [`> ${place}`] : []), `> - ${end.kind}: ${truncate(quoteInline(end.text), longestEnd)}`]
    })
    return ["## Left open by the last sessions", ...lines].join("\n")
  }
  let ends = open.slice(0, mostOpenEnds)
  while (ends.length > 0 && parts.countTokens(render(ends)) > room) ends = ends.slice(0, -1)
  return ends.length === 0 ? [] : [render(ends)]
}

function placeOf({ agent, session }: OpenEnd): string {
  return `${quoteInline(agent)} · session ${quoteInline(session)}`
}
