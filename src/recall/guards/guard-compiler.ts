import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeFolder, writeFileAtomic } from "../../disk/atomic-write.ts"
import { sha256 } from "../../disk/hash.ts"
import { handleOf } from "../../formats/ids.ts"
import { isSessionId } from "../../formats/session/session-id.ts"
import { splitCommand } from "../../formats/shell-command.ts"
import { truncate } from "../../formats/text.ts"
import type { IndexReader, StoredItem } from "../../index/index-store.ts"
import type { FailedAttempt } from "../../sessions/failed-attempts.ts"
import { mostRules, rules } from "../context/gather.ts"
import { withoutTwins } from "../context/learned-candidates.ts"
import { eligibilityOf } from "../eligibility.ts"
import { learnedPayload } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { statPlainFile, withoutSessions } from "../sync/origins.ts"
import type { CommandPattern, CompiledGuard, GuardsFile, GuardTrigger } from "./guard-match.ts"
import { readProhibitions } from "./prohibitions.ts"
import { commandsIn, patternOf, triggersOf } from "./triggers.ts"

export type GuardsPlace = GuardSources & {
  /** The compiled file. */
  path: string
  /** Failed attempts of active sessions. */
  attempts(): Promise<readonly FailedAttempt[]>
}

/** Recompiles the guards if an input has changed; otherwise this only costs a stat of the newest sessions. */
export async function writeGuards(parts: RecallParts, place: GuardsPlace): Promise<void> {
  const stamp = await guardsStamp(parts.index, place)
  if (stampIn(place.path) === stamp) return
  const guards = await compileGuards(parts, { attempts: await place.attempts(), ask: place.ask })
  makeFolder(dirname(place.path), 0o700)
  const file: GuardsFile = { format: 1, stamp, guards, folders: await listFolders(parts) } // in this order: see `stampIn`
  writeFileAtomic(place.path, JSON.stringify(file), { mode: 0o600, derived: true })
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
async function listFolders(parts: RecallParts): Promise<string[]> {
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
  const standing = eligibilityOf(item, { agent: undefined, paths, now, minConfidence })
  if (standing.kind === "left") return false
  if (item.source === "skills" && item.type !== "skill") return false // an agent makes no rules there
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

/** "`x` fails with …; `y` works": x, unless it contains what makes the difference. */
function readFailure(text: string): { text: string; triggers: GuardTrigger }[] {
  const [, failing, working] = /^`([^`]+)` fail(?:s|ed)\b.{0,200}?; `([^`]+)` works/s.exec(text) ?? []
  if (failing === undefined || working === undefined || /\bcd /.test(working)) return []
  const known = new Set(wordsOf(failing))
  const unless = wordsOf(working).filter((word) => !known.has(word))
  const [words] = patternOf(failing)
  if (words === undefined || unless.length === 0) return []
  return [{ text, triggers: { commands: [{ words, unless }], paths: [], names: [], packages: [] } }]
}

function wordsOf(line: string): string[] {
  return splitCommand(line).flatMap(({ words }) => words)
}

/** The commands of an attempt, without those that are run after every change: their failure is not a reason against running them. */
function failedCommandsOf({ plan, commands }: Pick<FailedAttempt, "plan" | "commands">): CommandPattern[] {
  return [...commands.flatMap(patternOf), ...commandsIn(plan).map(({ words }) => words)]
    .filter((words) => words.length > 1 && !words.some((word) => checks.test(word)))
    .map((words) => ({ words }))
}

const checks =
  /^(?:.*[:-])?(?:tests?|t|lint|check|build|compile|typecheck|tsc|format|fmt|vet|clippy|pytest|vitest|jest|mocha|rspec|run|start|dev|status|log|diff|show|ls|cat|grep)(?:[:-].*)?$/i

/** The inputs of the guard compiler besides the index. */
type GuardSources = {
  /** The folder of the sessions; undefined if it is not usable. */
  sessions: string | undefined
  /** Ids and short ids for which the user wants to be asked. */
  ask: readonly string[]
}

/** Changes with any input of the guards. Bump the number at its beginning to recompile all files. */
async function guardsStamp(index: Pick<IndexReader, "origins">, { sessions, ask }: GuardSources): Promise<string> {
  const origins = [...withoutSessions(await index.origins())].map((origin) => origin.join(" ")).sort()
  return sha256(["4", ...ask, ...origins, ...lookAtSessions(sessions)].join("\n")).slice(0, 32)
}

/** Older sessions are considered finished. */
const newestSessions = 20
const mostFiles = 100

function lookAtSessions(folder: string | undefined): string[] {
  if (folder === undefined || !statSync(folder, { throwIfNoEntry: false })) return []
  const newest = readdirSync(folder).filter(isSessionId).sort().slice(-newestSessions)
  return newest.flatMap((id) => {
    const path = join(folder, id)
    const names = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : []
    return names
      .filter((name) => /^(?:agent-memory(?!-archive)|metadata).*\.yaml$/.test(name))
      .slice(0, mostFiles)
      .map((name) => `${id}/${name} ${statPlainFile(join(path, name))?.text}`)
  })
}

/** The stamp at the beginning of a compiled file. */
function stampIn(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined
  const file = openSync(path, "r")
  try {
    const start = Buffer.alloc(64)
    const length = readSync(file, start, 0, start.length, 0)
    return /^\{"format":1,"stamp":"([0-9a-f]{32})"/.exec(start.toString("latin1", 0, length))?.[1]
  } finally {
    closeSync(file)
  }
}
