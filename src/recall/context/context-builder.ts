import { sha256 } from "../../disk/hash.ts"
import { statementCount } from "../../disk/sqlite.ts"
import { pathsIn } from "../../formats/file-paths.ts"
import { contextId, taskHashOf } from "../../formats/ids.ts"
import { agentKey } from "../../formats/text.ts"
import type { ItemSource } from "../../index/index-store.ts"
import { openLog } from "../../log.ts"
import { type Lane, lanes } from "../eligibility.ts"
import type { RecallParts } from "../recall-parts.ts"
import type { Ranked } from "../search/ranking.ts"
import { type ContextRecord, loggedAgent } from "./context-log.ts"
import { contextParts, partEnd, renderFrame } from "./context-text.ts"
import { type EarlierWork, findEarlierWork } from "./earlier-work.ts"
import { gather } from "./gather.ts"
import { gatherLearned } from "./learned-candidates.ts"
import { findReplaced } from "./replaced-entries.ts"
import {
  type Applied,
  defaultShares,
  type Form,
  fit,
  type JudgedItems,
  judge,
  type PlacedItem,
  type Shares,
} from "./selection.ts"

export type ContextRequest = {
  /** The requesting agent; without a name only items for all agents are included. */
  agent?: string | undefined
  /** Without a task the rules and the newest entries are included. */
  task?: string | undefined
  budget?: number | undefined
  /** Files relevant to the task, relative to the repository root. */
  paths?: readonly string[] | undefined
  /** Preview: do not record this context as used. */
  isLook?: boolean | undefined
  /** The client's session, if known: repeated calls in one session count as one use. */
  session?: string | undefined
  /** The requesting coding agent, for the record. */
  client?: string | undefined
  /** Ids the agent has already seen in full; they are not included again. */
  told?: readonly string[] | undefined
  /** Ids the agent has seen as one line; they are included again only in more detail, if relevant. */
  listed?: readonly string[] | undefined
  /** Only items above the relevance threshold, so that an agent with a context is not given more of the same. */
  onlyRelevant?: boolean | undefined
  /** Only items scoped to a folder that contains one of `paths`. */
  onlyInFolder?: boolean | undefined
  /** The longest text that the client does not truncate. */
  maxCharacters?: number | undefined
}

/** What an agent is given, with the reason for every included item and for the near misses. */
export type Context = {
  text: string
  tokens: number
  budget: number
  taskId: string
  included: Inclusion[]
  readonly left: { id: string; reason: string }[]
  /** Every candidate, best first. */
  explanation: Explanation[]
}

export type Inclusion = {
  id: string
  source: ItemSource
  kind: string
  form: Form
  score: number
  tokens: number
  reason: string
}

/** One candidate with all its signals; `lane` is its section, or would have been. */
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

/**
 * The context for the caller, the record for the log, the items as shown, and the learned memories relevant to the
 * task.
 */
export type BuiltContext = { context: Context; record: ContextRecord; shown: Applied[]; learned: LearnedUse[] }

/** A learned memory that was eligible for a task and relevant to it, whether or not it was included. */
export type LearnedUse = { id: string; injected: boolean; rank: number; score: number }

export const defaultBudget = 2000
const mostNearMisses = 20

/** Gathers, judges, fits and renders: rules first, everything active while it fits, never over the budget. */
export async function buildContext(parts: RecallParts, request: ContextRequest): Promise<BuiltContext> {
  const log = openLog("recall")
  const { task = "", budget = defaultBudget } = request
  const paths = [...(request.paths ?? []), ...pathsIn(task)]
  const now = parts.now()
  const agent = agentKey(request.agent)
  const taskId = `t-${sha256([agent ?? "", task, ...(request.paths ?? []), now.toISOString()].join("\n")).slice(0, 12)}`
  const told = new Set(request.told)
  const all = [
    ...(await gather(parts, { agent, text: [task, ...(request.paths ?? [])].join("\n"), paths })),
    ...(isHeldOut(taskHashOf(task), parts.learned?.holdoutRate ?? 0)
      ? []
      : await gatherLearned(parts, { agent, task, paths })),
  ]
  const gathered = all
    .filter(({ item }) => !wasSeen(item.id, told))
    .filter(({ item }) => request.onlyInFolder !== true || item.pathPrefix !== undefined)
  log?.("gather", { items: all.length, seen: all.length - gathered.length, sql: statementCount() })
  const countTokens = costCounter(parts, request)
  const standing = {
    agent,
    paths,
    task,
    now: now.getTime(),
    untrusted: parts.untrusted,
    minConfidence: parts.learned?.settings.min_confidence,
    listed: new Set(request.listed),
    replacedBy: findReplaced(
      all.map(({ item }) => item), // includes items handed over before
      parts.embedNow,
    ),
  }
  const judged = gathered.map((each) => judge(each, standing, { countTokens, noteOn: parts.noteOn }))
  const applied = judged
    .filter((each) => each.kind === "applies")
    .filter((each) => request.onlyRelevant !== true || each.qualifies)
  log?.("rank", { judged: judged.length, apply: applied.length })
  const earlier = await findEarlierWork(parts, request)
  const room = budget - countTokens(renderFrame(taskId, parts.untrusted)) - (earlier ? countTokens(earlier.line) : 0)
  const kept = fit(applied, room, sharesOf(parts))
  const fitted = cutToBudget(countTokens, {
    ...{ taskId, budget, kept: inShownOrder(kept), untrusted: parts.untrusted },
    earlier,
  })
  log?.("fit", { budget, kept: kept.length, fitted: fitted.kept.length })
  const shown = new Map<JudgedItems, PlacedItem<Applied>>(fitted.kept.map((each) => [each.item, each]))
  const explanation = judged.map((each) => explain(each, shown.get(each)))
  const pointers = fitted.earlier ? [pointTo(fitted.earlier, countTokens)] : []
  const included = [...fitted.kept.map(include), ...pointers]
  const tokens = fitted.text === "" ? 0 : parts.countTokens(fitted.text)
  log?.("render", { task: taskId, tokens, characters: fitted.text.length })
  const record: ContextRecord = {
    taskId,
    taskHash: taskHashOf(task),
    at: now.toISOString(),
    agent: loggedAgent(agent),
    client: request.client,
    session: request.session,
    budget,
    tokens,
    items: [
      ...fitted.kept.map(({ item: { item, qualifies, reason }, tokens }, at) => ({
        ...{ id: item.id, rank: at + 1, tokens, reason },
        ...(qualifies && { relevant: true as const }),
      })),
      ...pointers.map(({ id, tokens, reason }) => ({ id, rank: included.length, tokens, reason })),
    ],
    left: explanation.length - fitted.kept.length,
  }
  const context = {
    text: fitted.text,
    tokens,
    budget,
    taskId,
    included,
    get left() {
      return leftOut(explanation) // rarely needed, and the reasons require token counts
    },
    explanation,
  }
  return { context, record, shown: fitted.kept.map(({ item }) => item), learned: learnedUses(applied, shown) }
}

/** A file that quotes an item names it by its short id. */
export function wasSeen(id: string, told: ReadonlySet<string>): boolean {
  return told.has(id) || told.has(contextId(id))
}

/** Display order: in each lane detailed items before one-line items, archived entries last. */
function inShownOrder(kept: readonly PlacedItem<Applied>[]): PlacedItem<Applied>[] {
  const order = ({ item: { item, lane }, form }: PlacedItem<Applied>) =>
    4 * lanes.indexOf(lane) + 2 * Number(form === "line") + Number(item.source === "archive")
  return [...kept].sort((one, other) => order(one) - order(other))
}

/** Converts a client's character limit into tokens, so that one budget covers both limits. */
export function costCounter(
  { countTokens }: RecallParts,
  { budget = defaultBudget, maxCharacters }: Pick<ContextRequest, "budget" | "maxCharacters">,
): (text: string) => number {
  if (maxCharacters === undefined) return countTokens
  const most = Math.max(1, maxCharacters)
  return (text) => Math.max(countTokens(text), Math.ceil((text.length * budget) / most))
}

function sharesOf({ learned }: RecallParts): Shares {
  if (!learned) return defaultShares
  const { budget_tokens, guard_lane, guard_max, keyed_lane } = learned.settings
  const own = { learned: budget_tokens, warnings: guard_lane, mostWarnings: guard_max, keyed: keyed_lane }
  return { ...defaultShares, ...own }
}

function learnedUses(applied: readonly Applied[], shown: ReadonlyMap<JudgedItems, unknown>): LearnedUse[] {
  return applied
    .filter((each) => each.item.source === "learned")
    .map((each, at) => ({ id: each.item.id, injected: shown.has(each), rank: at + 1, score: each.score }))
}

type Written = { text: string; tokens: number; kept: PlacedItem<Applied>[]; earlier: EarlierWork | undefined }

/** The token count of the finished text decides: items are dropped from the end until it fits. */
function cutToBudget(
  countTokens: RecallParts["countTokens"],
  draft: Pick<Written, "kept" | "earlier"> & { taskId: string; budget: number; untrusted: true | undefined },
): Written {
  const { kept, earlier } = draft
  const blocks = kept.map(({ item, form }) => ({ lane: item.lane, form, block: item.block(form) }))
  const text = contextParts(draft.taskId, blocks, draft.untrusted, earlier?.line).join(partEnd)
  const tokens = countTokens(text)
  if (tokens <= draft.budget || (kept.length === 0 && !earlier)) return { text, tokens, kept, earlier }
  if (kept.length === 0) return cutToBudget(countTokens, { ...draft, earlier: undefined })
  return cutToBudget(countTokens, { ...draft, kept: kept.slice(0, -1) })
}

function pointTo({ item, line }: EarlierWork, countTokens: (text: string) => number): Inclusion {
  const { id, source, type: kind } = item
  return {
    id,
    source,
    kind,
    form: "line",
    score: 0,
    tokens: countTokens(line),
    reason: "nearly the same was asked in it",
  }
}

function include({ item: { item, score, reason }, form, tokens }: PlacedItem<Applied>): Inclusion {
  return { id: item.id, source: item.source, kind: item.type, form, score, tokens, reason }
}

function explain(judged: JudgedItems, placed: PlacedItem<Applied> | undefined): Explanation {
  const { item, score, relevance, signals } = judged
  return {
    id: item.id,
    title: item.title,
    kept: placed !== undefined,
    lane: judged.kind === "applies" ? judged.lane : undefined,
    reason: placed || judged.kind === "left" ? judged.reason : "the budget was used up",
    score,
    relevance,
    signals,
    get tokens() {
      return placed?.tokens ?? (judged.kind === "applies" ? judged.cost(judged.forms[0] ?? "line") : undefined)
    },
  }
}

/** Eligible items that did not fit, then the best of the rest. */
function leftOut(explanation: readonly Explanation[]): Context["left"] {
  const left = explanation.filter(({ kept }) => !kept)
  const unfit = left.filter(({ lane }) => lane !== undefined)
  const others = left.filter(({ lane }) => lane === undefined).slice(0, mostNearMisses)
  return [...unfit, ...others].map(({ id, reason }) => ({ id, reason }))
}

/**
 * Whether a task is one of the few that run without learned memories, to keep the project's baseline up to date. Decided by the task's
 * hash: the same task is held out every time, and nothing has to be stored.
 */
export function isHeldOut(taskHash: string, rate: number): boolean {
  return Number.parseInt(taskHash.slice(0, 8), 16) < rate * 2 ** 32
}
