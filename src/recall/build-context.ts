import { sha256 } from "../disk/sha256.ts"
import { taskHashOf } from "../formats/task-hash.ts"
import type { ItemSource } from "../index/item.ts"
import { agentKey, loggedAgent } from "./agent-key.ts"
import type { ContextRecord } from "./context-log.ts"
import { defaultShares, fit, type Shares } from "./fit.ts"
import { gather } from "./gather.ts"
import { gatherLearned } from "./gather-learned.ts"
import { isHeldOut } from "./is-held-out.ts"
import { type Applied, type Judged, judge } from "./judge.ts"
import type { Ranked } from "./rank.ts"
import type { RecallParts } from "./recall-parts.ts"
import {
  contextParts,
  type Mention,
  mentionsHeading,
  opening,
  partEnd,
  renderFrame,
  untrustedOpening,
} from "./render-context.ts"
import type { Lane } from "./standing.ts"

export type ContextRequest = {
  /** Who asks; without a name only what is everybody's is handed out. */
  agent?: string | undefined
  /** What is to be done; without it the rules and the newest entries are handed out. */
  task?: string | undefined
  budget?: number | undefined
  /** Files the task is about, from the root of the repository. */
  paths?: readonly string[] | undefined
  /** Somebody looks at what would be handed out; no agent gets it, so it is no use of anything. */
  isLook?: boolean | undefined
  /** The client's session in which the task is done, if the caller knows it: repeated calls in it count once. */
  session?: string | undefined
  /** The coding agent that asks, for the record. */
  client?: string | undefined
  /** Ids of what the agent has before it already: none of these is handed out again. */
  told?: readonly string[] | undefined
}

/** What an agent is handed, with the reason for every item that is in it and for those that came near. */
export type Context = {
  text: string
  tokens: number
  budget: number
  taskId: string
  included: Inclusion[]
  readonly left: { id: string; reason: string }[]
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
  readonly reason: string
  score: number
  relevance: number
  signals: Ranked["signals"] | undefined
  readonly tokens: number | undefined
}

/** What was made: the context for whoever asked, the record for the log, the items as they were shown, and the learned memories that bear on the task. */
export type BuiltContext = { context: Context; record: ContextRecord; shown: Applied[]; learned: LearnedUse[] }

/** A learned memory that was eligible for a task and bears on it, whether or not it won a place. */
export type LearnedUse = { id: string; injected: boolean; rank: number; score: number }

export const defaultBudget = 2000
const mostMentions = 3
const mostNearMisses = 20

/** Gathers, judges, fits and renders: rules first, whole items only, never over the budget, nothing when nothing bears on the task. */
export async function buildContext(parts: RecallParts, request: ContextRequest): Promise<BuiltContext> {
  const { task = "", paths = [], budget = defaultBudget } = request
  const now = parts.now()
  const agent = agentKey(request.agent)
  const taskId = `t-${sha256([agent ?? "", task, ...paths, now.toISOString()].join("\n")).slice(0, 12)}`
  const told = new Set(request.told)
  const gathered = [
    ...(await gather(parts, agent, [task, ...paths].join("\n"))),
    ...(isHeldOut(taskHashOf(task), parts.learned?.holdoutRate ?? 0)
      ? []
      : await gatherLearned(parts, { agent, task, paths })),
  ].filter(({ item }) => !told.has(item.id))
  const minConfidence = parts.learned?.settings.min_confidence
  const standing = { agent, paths, now: now.getTime(), minConfidence, untrusted: parts.untrusted }
  const judged = gathered.map((each) => judge(each, standing, parts))
  const applied = judged.filter((each) => each.kind === "applies")
  const { kept, left } = fit(applied, budget - parts.countTokens(renderFrame(taskId, parts)), sharesOf(parts))
  const whole = cutToBudget(parts, { taskId, budget, kept })
  const unfit = left.map(({ item }) => item)
  const fitted = whole.kept === kept ? withMentions(parts, { taskId, budget, whole }, unfit) : whole
  const reasons = new Map<Judged, { readonly reason: string }>(left.map((each) => [each.item, each]))
  const shown = new Set<Judged>(fitted.kept)
  const explanation = judged.map((each) => explain(each, shown.has(each), reasons.get(each)))
  const included = fitted.kept.map(include)
  const record: ContextRecord = {
    taskId,
    taskHash: taskHashOf(task),
    at: now.toISOString(),
    agent: loggedAgent(agent),
    client: request.client,
    session: request.session,
    budget,
    tokens: fitted.tokens,
    items: included.map(({ id, tokens, reason }, index) => ({ id, rank: index + 1, tokens, reason })),
    left: explanation.length - included.length,
  }
  const context = {
    text: fitted.text,
    tokens: fitted.tokens,
    budget,
    taskId,
    included,
    get left() {
      return leftOut(explanation) // seldom asked for, and the reasons take counting
    },
    explanation,
  }
  return { context, record, shown: fitted.kept, learned: learnedUses(applied, shown) }
}

function sharesOf({ learned }: RecallParts): Shares {
  if (!learned) return defaultShares
  const { budget_tokens, guard_lane, guard_max, keyed_lane } = learned.settings
  const own = { learned: budget_tokens, warnings: guard_lane, mostWarnings: guard_max, keyed: keyed_lane }
  return { ...defaultShares, ...own }
}

function learnedUses(applied: readonly Applied[], shown: ReadonlySet<Judged>): LearnedUse[] {
  return applied
    .filter((each) => each.item.source === "learned")
    .map((each, at) => ({ id: each.item.id, injected: shown.has(each), rank: at + 1, score: each.score }))
}

type Written = { text: string; tokens: number; kept: Applied[] }

function write(parts: RecallParts, taskId: string, kept: Applied[], mentions: readonly Mention[]): Written {
  const pieces = contextParts(taskId, kept, mentions, parts.untrusted ? untrustedOpening : opening)
  const counted = new Map(kept.map(({ block, tokens }) => [block, tokens]))
  const tokensOf = (piece: string, at: number) =>
    counted.get(piece) ?? parts.countTokens(at === pieces.length - 1 ? piece : piece + partEnd)
  const tokens = pieces.reduce((sum, piece, at) => sum + tokensOf(piece, at), 0)
  return { text: pieces.join(partEnd), tokens, kept }
}

type Draft = { taskId: string; budget: number; kept: Applied[] }

/** The count that matters is that of the finished text: whatever is over goes. */
function cutToBudget(parts: RecallParts, draft: Draft): Written {
  const written = write(parts, draft.taskId, draft.kept, [])
  const isDone = written.tokens <= draft.budget || draft.kept.length === 0
  return isDone ? written : cutToBudget(parts, { ...draft, kept: draft.kept.slice(0, -1) })
}

/** What bears on the task and did not fit is named as far as there is room, so that the agent can ask for it. */
function withMentions(
  parts: RecallParts,
  { taskId, budget, whole }: { taskId: string; budget: number; whole: Written },
  unfit: readonly Applied[],
): Written {
  if (whole.tokens + parts.countTokens(mentionsHeading) > budget) return whole // the usual end, without counting what is left
  let written = whole
  const mentions: Mention[] = []
  for (const { item, tokens } of unfit.filter(({ qualifies }) => qualifies).slice(0, mostMentions)) {
    mentions.push({ id: item.id, title: item.title, tokens })
    const longer = write(parts, taskId, whole.kept, mentions)
    if (longer.tokens > budget) break
    written = longer
  }
  return written
}

function include({ item, score, tokens, reason }: Applied): Inclusion {
  return { id: item.id, source: item.source, kind: item.type, score, tokens, reason }
}

function explain(judged: Judged, kept: boolean, unfit: { readonly reason: string } | undefined): Explanation {
  const { item, score, relevance, signals } = judged
  const lane = judged.kind === "applies" ? judged.lane : undefined
  return {
    id: item.id,
    title: item.title,
    kept,
    lane,
    get reason() {
      if (kept) return judged.reason
      return unfit?.reason ?? (lane === undefined ? judged.reason : "the budget was used up")
    },
    score,
    relevance,
    signals,
    get tokens() {
      return judged.tokens
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
