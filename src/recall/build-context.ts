import { sha256 } from "../disk/sha256.ts"
import type { ItemSource } from "../index/item.ts"
import { agentKey } from "./agent-key.ts"
import { type ContextRecord, taskHashOf } from "./context-log.ts"
import { fit } from "./fit.ts"
import { gather } from "./gather.ts"
import { type Applied, type Judged, judge } from "./judge.ts"
import type { Ranked } from "./rank.ts"
import type { RecallParts } from "./recall-parts.ts"
import { type Mention, renderContext, renderFrame } from "./render-context.ts"
import type { Lane } from "./standing.ts"

export type ContextRequest = {
  /** Who asks; without a name only what is everybody's is handed out. */
  agent?: string | undefined
  /** What is to be done; without it the rules and the newest entries are handed out. */
  task?: string | undefined
  budget?: number | undefined
  /** Files the task is about, from the root of the repository. */
  paths?: readonly string[] | undefined
}

/** What an agent is handed, with the reason for every item that is in it and for those that came near. */
export type Context = {
  text: string
  tokens: number
  budget: number
  taskId: string
  included: Inclusion[]
  left: { id: string; reason: string }[]
  /** Every item that was looked at, the best first. */
  explanation: Explanation[]
}

export type Inclusion = { id: string; source: ItemSource; kind: string; score: number; tokens: number; reason: string }

/** One item with all that spoke for and against it; `lane` is where it stands, or would have stood. */
export type Explanation = {
  id: string
  title: string
  kept: boolean
  lane: Lane | undefined
  reason: string
  score: number
  relevance: number
  signals: Ranked["signals"] | undefined
  readonly tokens: number | undefined
}

/** What was made: the context for whoever asked, the record for the log, and the items as they were shown. */
export type BuiltContext = { context: Context; record: ContextRecord; shown: Applied[] }

export const defaultBudget = 2000
const mostMentions = 3
const mostNearMisses = 20

/** Gathers, judges, fits and renders: rules first, whole items only, never over the budget, nothing when nothing bears on the task. */
export async function buildContext(parts: RecallParts, request: ContextRequest): Promise<BuiltContext> {
  const { task = "", paths = [], budget = defaultBudget } = request
  const now = parts.now()
  const agent = agentKey(request.agent)
  const taskId = `t-${sha256([agent ?? "", task, ...paths, now.toISOString()].join("\n")).slice(0, 12)}`
  const gathered = await gather(parts, agent, [task, ...paths].join("\n"))
  const judged = gathered.map((each) => judge(each, { agent, paths, now: now.getTime() }, parts.countTokens))
  const applied = judged.filter((each) => each.kind === "applies")
  const { kept, left } = fit(applied, budget - parts.countTokens(renderFrame(taskId)))
  const fitted = cutToBudget(parts, { taskId, budget, kept, mentions: mentionsOf(left.map(({ item }) => item)) })
  const reasons = new Map<Judged, string>(left.map(({ item, reason }) => [item, reason]))
  const shown = new Set<Judged>(fitted.kept)
  const explanation = judged.map((each) => explain(each, shown.has(each), reasons.get(each)))
  const included = fitted.kept.map(include)
  const record: ContextRecord = {
    taskId,
    taskHash: taskHashOf(task),
    at: now.toISOString(),
    agent,
    budget,
    tokens: fitted.tokens,
    items: included.map(({ id, tokens }, index) => ({ id, rank: index + 1, tokens })),
    left: explanation.length - included.length,
  }
  const context = {
    text: fitted.text,
    tokens: fitted.tokens,
    budget,
    taskId,
    included,
    left: leftOut(explanation),
    explanation,
  }
  return { context, record, shown: fitted.kept }
}

type Draft = { taskId: string; budget: number; kept: Applied[]; mentions: Mention[] }

/** The count that matters is that of the finished text: whatever is over goes, the mentions first. */
function cutToBudget(parts: RecallParts, draft: Draft): { text: string; tokens: number; kept: Applied[] } {
  const text = renderContext(draft.taskId, draft.kept, draft.mentions)
  const tokens = text === "" ? 0 : parts.countTokens(text)
  if (tokens <= draft.budget) return { text, tokens, kept: draft.kept }
  return draft.mentions.length > 0
    ? cutToBudget(parts, { ...draft, mentions: draft.mentions.slice(0, -1) })
    : cutToBudget(parts, { ...draft, kept: draft.kept.slice(0, -1) })
}

/** What bears on the task and did not fit is named, so that the agent can ask for it. */
function mentionsOf(left: readonly Applied[]): Mention[] {
  return left
    .filter(({ qualifies }) => qualifies)
    .slice(0, mostMentions)
    .map(({ item, tokens }) => ({ id: item.id, title: item.title, tokens }))
}

function include({ item, score, tokens, reason }: Applied): Inclusion {
  return { id: item.id, source: item.source, kind: item.type, score, tokens, reason }
}

function explain(judged: Judged, kept: boolean, unfit: string | undefined): Explanation {
  const { item, score, relevance, signals } = judged
  const lane = judged.kind === "applies" ? judged.lane : undefined
  const reason = kept ? judged.reason : (unfit ?? (lane === undefined ? judged.reason : "the budget was used up"))
  return {
    id: item.id,
    title: item.title,
    kept,
    lane,
    reason,
    score,
    relevance,
    signals,
    get tokens() {
      return judged.kind === "applies" ? judged.tokens : undefined
    },
  }
}

/** What may stand but did not fit, then the best of the rest. */
function leftOut(explanation: readonly Explanation[]): Context["left"] {
  const left = explanation.filter(({ kept }) => !kept)
  const unfit = left.filter(({ lane }) => lane !== undefined)
  const others = left.filter(({ lane }) => lane === undefined).slice(0, mostNearMisses)
  return [...unfit, ...others].map(({ id, reason }) => ({ id, reason }))
}
