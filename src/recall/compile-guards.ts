import { handleOf } from "../formats/memory-handle.ts"
import { truncate } from "../formats/truncate.ts"
import type { StoredItem } from "../index/index-store.ts"
import { failedCommandsOf, readFailure } from "./failed-commands.ts"
import { mostRules, rules } from "./gather.ts"
import { learnedPayload } from "./learned-payload.ts"
import type { CompiledGuard, GuardTrigger } from "./match-guards.ts"
import { withoutTwins } from "./precedence.ts"
import { readProhibitions } from "./read-prohibitions.ts"
import type { RecallParts } from "./recall-parts.ts"
import { standingOf } from "./standing.ts"
import { triggersOf } from "./triggers-of.ts"

/** A failed attempt in an active session. */
export type FailedAttempt = {
  /** Of the session and the attempt. */
  id: string
  agent: string
  /** What was tried and how it failed, in one line. */
  text: string
  /** The plan in the agent's words, which may name commands too. */
  plan: string
  commands: readonly string[]
  error: string | undefined
}

export type GuardOrigins = {
  attempts: readonly FailedAttempt[]
  /** Ids and short ids for which the user wants to be asked. */
  ask: readonly string[]
}

/** Limits the file that every tool call reads; the newest are kept. */
const mostGuards = 500
const longestText = 300

/**
 * Compiles guards from team rules, learned guards and mistakes, and failed attempts, where a tool call shows with
 * certainty that it is meant. Rules that need judgement are left to the contexts.
 */
export async function compileGuards(parts: RecallParts, { attempts, ask }: GuardOrigins): Promise<CompiledGuard[]> {
  const now = parts.now().getTime()
  const most = { now, limit: mostRules }
  const items = [
    ...(await parts.index.select({ anyOf: rules, not: { sources: ["learned", "session"] } }, most)),
    ...withoutTwins(await parts.index.select({ sources: ["learned"], types: learnedKinds }, most)),
  ]
  const guards = attempts.flatMap(guardOfAttempt)
  for (const item of items) {
    if (guards.length >= mostGuards) break
    if (mayWarn(item, parts, now)) guards.push(...guardsOfItem(item, ask))
  }
  return guards.slice(0, mostGuards)
}

/** The folders that some entry or memory is limited to. */
export async function listFolders(parts: RecallParts): Promise<string[]> {
  const items = await parts.index.select(
    { agent: "*", inFolder: true },
    { now: parts.now().getTime(), limit: mostRules },
  )
  return [...new Set(items.flatMap(({ pathPrefix }) => pathPrefix ?? []))].slice(0, mostGuards)
}

const learnedKinds = ["guard", "invariant", "preference", "pattern"]

/**
 * On trial, only guards and the user's own words may warn; inferences have to be proven first, and text from outside
 * never warns.
 */
function mayWarn(item: StoredItem, { learned }: RecallParts, now: number): boolean {
  const paths = item.pathPrefix === undefined ? [] : [item.pathPrefix]
  const minConfidence = learned?.settings.min_confidence
  const standing = standingOf(item, { agent: undefined, paths, now, minConfidence })
  if (standing.kind === "left") return false
  if (item.source !== "learned") return true
  const { status, origin, owner } = learnedPayload(item)
  if (item.type === "guard" || (origin === "user" && owner === undefined)) return true
  return status === "active" && origin !== "tool" && origin !== "import"
}

function guardsOfItem(item: StoredItem, ask: readonly string[]): CompiledGuard[] {
  const { id, pathPrefix } = item
  const isAsked = ask.some((name) => name === handleOf(id) || (name.length >= shortestId && id.startsWith(name)))
  const within = pathPrefix === undefined ? {} : { within: pathPrefix }
  return speaking(item).map(({ text, triggers }) => ({
    id,
    source: item.source === "learned" ? "learned" : "team",
    ask: isAsked,
    text: truncate(text, longestText),
    triggers: { ...triggers, ...within },
  }))
}

/** Contexts show at least this many characters of an id. */
const shortestId = 8

type Speaking = { text: string; triggers: GuardTrigger }

/** The sentences of an item that forbid something; of duplicates in title and text, the later one is kept. */
function speaking(item: StoredItem): Speaking[] {
  // A title that is the beginning of the text may be cut in the middle of a rule and forbid too much: "Never run git
  // push".
  const text = item.text.includes(item.title.replace(/(?:…|\.\.\.)$/, "")) ? item.text : `${item.title}\n${item.text}`
  const forbidden = readProhibitions(text).flatMap((prohibition) => {
    const triggers = triggersOf(prohibition)
    return triggers ? [{ text: prohibition.sentence, triggers }] : []
  })
  const all = item.source === "learned" ? [...forbidden, ...readFailure(item.text)] : forbidden
  const byTriggers = new Map(all.map((each) => [JSON.stringify(each.triggers), each]))
  return [...byTriggers.values()]
}

function guardOfAttempt(attempt: FailedAttempt): CompiledGuard[] {
  const commands = failedCommandsOf(attempt)
  if (commands.length === 0) return []
  const triggers = { commands, paths: [], names: [], packages: [] }
  return [{ id: attempt.id, source: "session", ask: false, text: truncate(attempt.text, longestText), triggers }]
}
