import { quoteInline } from "../formats/quote.ts"
import { truncate } from "../formats/truncate.ts"
import type { StoredItem } from "../index/index-store.ts"
import { agentKey } from "./agent-key.ts"
import { fit, type Shares } from "./fit.ts"
import { mostRules, rules } from "./gather.ts"
import { type Asking, type HandOut, handOut, handOutId } from "./hand-out.ts"
import { type Applied, judge } from "./judge.ts"
import { withoutTwins } from "./precedence.ts"
import type { OpenEnd } from "./read-open-ends.ts"
import type { RecallParts } from "./recall-parts.ts"
import { contextParts, opening, partEnd, untrustedOpening, wrapParts } from "./render-context.ts"

export type PackRequest = Asking & {
  budget?: number | undefined
  /** Ids of what the agent has before it already. */
  told?: readonly string[] | undefined
}

/** What happened before this session: what was left open, and when the agent was last told anything. */
export type Before = { open: readonly OpenEnd[]; since: number | undefined }

export const packBudget = 800
const shares: Shares = { rules: 0.7, learned: 300, warnings: 1, mostWarnings: 8, keyed: 0 }
const openShare = 0.3
const mostOpenEnds = 8
const longestEnd = 200

/** What an agent should know before it is given a task: guards, the team's rules, what was left open, and what was decided since it was last here. Undefined when that is nothing. */
export async function buildSessionPack(
  parts: RecallParts,
  request: PackRequest,
  before: Before,
): Promise<HandOut | undefined> {
  const { budget = packBudget } = request
  const now = parts.now().getTime()
  const agent = agentKey(request.agent)
  const told = new Set(request.told)
  const standing = {
    agent,
    paths: [],
    now,
    minConfidence: parts.learned?.settings.min_confidence,
    untrusted: parts.untrusted,
  }
  const applied = (await select(parts, agent, before.since))
    .filter(({ id }) => !told.has(id))
    .map((item) => judge({ item, score: 0, relevance: 0, qualifies: true, signals: undefined }, standing, parts))
    .filter((each) => each.kind === "applies")
  const taskId = handOutId(parts, "session start", request)
  const write = (kept: readonly Applied[], open: readonly string[]) => {
    const lanes = contextParts(taskId, kept, []).slice(1, -1)
    return wrapParts(taskId, parts.untrusted ? untrustedOpening : opening, [...lanes, ...open]).join(partEnd)
  }
  const open = parts.untrusted ? [] : renderOpenEnds(parts, before.open, budget * openShare)
  let { kept } = fit(applied, budget - parts.countTokens(write([], open)), shares)
  while (kept.length > 0 && parts.countTokens(write(kept, open)) > budget) kept = kept.slice(0, -1) // headings cost, too
  if (kept.length + open.length === 0) return undefined
  return handOut(
    parts,
    { occasion: "session start", asking: request, taskId, text: write(kept, open) },
    { items: kept.map(toHanded), budget, left: applied.length - kept.length },
  )
}

async function select(parts: RecallParts, agent: string | undefined, since: number | undefined): Promise<StoredItem[]> {
  const now = parts.now().getTime()
  const { index } = parts
  const guards = withoutTwins(await index.select({ sources: ["learned"], types: ["guard"] }, { now, limit: mostRules }))
  const most = { now, limit: mostRules }
  const inForce = await index.select({ agent, anyOf: rules, not: { sources: ["learned", "session"] } }, most)
  const known = new Set(inForce.map(({ row }) => row))
  const decided = since === undefined ? [] : await index.select({ agent, sources: ["decisions"], after: since }, most)
  return [...guards, ...inForce, ...decided.filter(({ row }) => !known.has(row))]
}

function toHanded({ item, tokens, reason }: Applied) {
  return { id: item.id, isLearned: item.source === "learned", tokens, reason }
}

/** Under each agent and session that left them; whatever does not fit goes from the end. */
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
