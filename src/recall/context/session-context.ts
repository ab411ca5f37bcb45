import { join } from "node:path"
import { readTextFile, settingsBytes } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { agentKey, quoteInline, truncate } from "../../formats/text.ts"
import type { RecallParts } from "../recall-parts.ts"
import { listSessionFiles } from "../sync/origins.ts"
import type { OpenEnd } from "../sync/session-items.ts"
import { costCounter, wasSeen } from "./context-builder.ts"
import { contextParts, openingOf, partEnd, renderContext, type Shown, wrapParts } from "./context-text.ts"
import { type Gathered, gather, mostRules } from "./gather.ts"
import { type Handout, type HandoutRequest, handOut, handOutId } from "./handout.ts"
import { withoutTwins } from "./learned-candidates.ts"
import { findReplaced } from "./replaced-entries.ts"
import { type Applied, defaultShares, fit, judge, type PlacedItem, type Shares } from "./selection.ts"

export type SessionContextRequest = HandoutRequest & {
  budget?: number | undefined
  /** The agent's working directories, relative to the repository root. */
  paths?: readonly string[] | undefined
  /** The longest text that the client does not truncate. */
  maxCharacters?: number | undefined
  /** Ids the agent has already seen. */
  told?: readonly string[] | undefined
}

export const sessionContextBudget = 2000
const shares: Shares = { ...defaultShares, rules: 0.7, learned: 300, warnings: 1, mostWarnings: 8, keyed: 0 }
const openShare = 0.3
const mostOpenEnds = 8
const longestEnd = 200

/**
 * What an agent should know before its first task: guards, rules, open ends, and all active entries, one line each if
 * they do not fit. Undefined if there is nothing.
 */
export async function buildSessionContext(
  given: RecallParts,
  request: SessionContextRequest,
  leftOpen: readonly OpenEnd[],
): Promise<Handout | undefined> {
  const { budget = sessionContextBudget, paths = [] } = request
  const parts = { ...given, countTokens: costCounter(given, { ...request, budget }) }
  const now = parts.now().getTime()
  const agent = agentKey(request.agent)
  const told = new Set(request.told)
  const all = await gatherAll(parts, agent, paths)
  const gathered = all.filter(({ item }) => !wasSeen(item.id, told))
  const minConfidence = parts.learned?.settings.min_confidence
  const replacedBy = findReplaced(
    all.map(({ item }) => item),
    parts.embedNow,
  )
  const standing = { agent, paths, task: "", now, minConfidence, replacedBy, untrusted: parts.untrusted }
  const applied = gathered.map((each) => judge(each, standing, parts)).filter((each) => each.kind === "applies")
  const taskId = handOutId(parts, "session start", request)
  const write = (kept: readonly PlacedItem<Applied>[], open: readonly string[]) => {
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

function toHanded({ item: { item, reason }, form, tokens }: PlacedItem<Applied>) {
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

const lastSessions = 3
/** More than are shown: some sessions have no notes. */
const listedSessions = 20
/** This delays the start of a session, so larger files are skipped. */
const mostBytes = 1024 * 1024

/** Whether Drey keeps a session by itself: what such a conversation left open is handed over from its transcript. */
function isKept(folder: string): boolean {
  try {
    return /^keptFor:/m.test(readTextFile(join(folder, "metadata.yaml"), { maxBytes: settingsBytes }).text)
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return false // its own commands report what is wrong with it
  }
}

/** Open ends of the last sessions, newest first. */
export async function readLeftOpen({
  root,
  sessions,
}: {
  root: string
  sessions: string | undefined
}): Promise<OpenEnd[]> {
  const files = sessions === undefined ? [] : listSessionFiles(root, sessions, listedSessions)
  const ids = new Set(files.flatMap((file) => (file.kind === "session" ? [file.session] : [])))
  if (ids.size === 0) return []
  const { readOpenEnds } = await import("../sync/session-items.ts") // pulls in a YAML parser and the schemas
  const newest = [...ids]
    .sort() // an id begins with its start time
    .reverse()
    .filter((id) => !isKept(join(sessions ?? "", id)))
    .slice(0, lastSessions)
  let bytes = 0
  return newest.flatMap((id) => {
    const own = files.filter((file) => {
      if (file.kind !== "session" || file.session !== id || bytes + file.look.bytes > mostBytes) return false
      bytes += file.look.bytes
      return true
    })
    return readOpenEnds(own, new Set([id]))
  })
}
