import type { ToolCall } from "../../formats/client-events.ts"
import { findInformativeLine, fingerprint } from "../../formats/error-line.ts"
import { quote, quoteInline } from "../../formats/text.ts"
import type { StoredItem } from "../../index/index-store.ts"
import type { FailedAttempt } from "../../sessions/failed-attempts.ts"
import { partEnd, renderItem, untrustedOpening, wrapParts } from "../context/context-text.ts"
import { type HandedItem, type Handout, type HandoutRequest, handOut, handOutId } from "../context/handout.ts"
import { eligibilityOf } from "../eligibility.ts"
import type { RecallParts } from "../recall-parts.ts"
import { makeSnippet } from "../search/item-search.ts"
import { findRanked } from "../search/ranking.ts"

export type ErrorKnowledge = {
  /** Ids of learned memories that originate from a failure with this fingerprint. */
  learnedFrom(fingerprint: string): readonly string[]
  /** Failed attempts of active sessions. */
  attempts: readonly FailedAttempt[]
}

export type AdviceRequest = HandoutRequest & {
  /** Ids that the agent has already been given as advice; they are neither shown nor recorded again. */
  advised?: readonly string[] | undefined
}

export const adviceBudget = 300
const longestError = 20_000
const mostLookedAt = 30
const opening =
  "About this failure: the lines marked with > are records from this repository that mention it. They may be out of date."

/**
 * What is known about an error: memories learned from it, items that mention it, and attempts that failed with it.
 * Undefined if nothing matches.
 */
export async function adviseOnError(
  parts: RecallParts,
  { error, call }: { error: string; call: ToolCall },
  knowledge: ErrorKnowledge,
  { advised = [], ...asking }: AdviceRequest,
): Promise<Handout | undefined> {
  const line = tellingLineOf(error)
  if (line === undefined) return undefined
  const failure = { line, print: fingerprint(line), paths: call.paths }
  const known = [
    ...(await learnedFrom(parts, failure, knowledge)),
    ...(await mentioning(parts, failure)),
    ...(parts.untrusted ? [] : triedInVain(failure, knowledge)),
  ].filter(({ id }) => !advised.includes(id))
  const taskId = handOutId(parts, "error", asking, line)
  const lead = parts.untrusted ? untrustedOpening : opening
  const shown = takeWhatFits(known, (some) => parts.countTokens(write(taskId, lead, some)) <= adviceBudget)
  if (shown.length === 0) return undefined
  const items = shown.map(({ block, ...each }): HandedItem => ({ ...each, tokens: parts.countTokens(block) }))
  const said = { occasion: "error", asking, taskId, text: write(taskId, lead, shown) } as const
  return handOut(parts, said, { items, budget: adviceBudget, left: known.length - shown.length })
}

/** The most informative line, its fingerprint, and the files of the failed call. */
type Failure = { line: string; print: string | undefined; paths: readonly string[] }

function tellingLineOf(error: string): string | undefined {
  const text = error.slice(0, longestError)
  const line = findInformativeLine(text)
  return line && text.slice(line.start, line.end).trim()
}

type KnownAdvice = Omit<HandedItem, "tokens"> & { block: string }

function write(taskId: string, lead: string, known: readonly KnownAdvice[]): string {
  const blocks = known.map(({ block }) => block)
  return wrapParts(taskId, lead, blocks).join(partEnd)
}

/** Each item once, strongest first; a shorter one may fit where a longer one did not. */
function takeWhatFits(known: readonly KnownAdvice[], fits: (some: readonly KnownAdvice[]) => boolean): KnownAdvice[] {
  const taken: KnownAdvice[] = []
  for (const each of known) {
    if (!taken.some(({ id }) => id === each.id) && fits([...taken, each])) taken.push(each)
  }
  return taken
}

async function learnedFrom(parts: RecallParts, failure: Failure, knowledge: ErrorKnowledge): Promise<KnownAdvice[]> {
  const ids = failure.print === undefined ? [] : knowledge.learnedFrom(failure.print)
  const items = ids.length === 0 ? [] : await parts.index.items([...ids])
  return items.flatMap((item) => show(parts, failure, item, "learned from the same error"))
}

async function mentioning(parts: RecallParts, failure: Failure): Promise<KnownAdvice[]> {
  const ranked = (await findRanked(parts, failure.line, { not: { sources: ["session", "docs"] } })).slice(
    0,
    mostLookedAt,
  )
  const items = await parts.index.rows(ranked.map(({ candidate }) => candidate.row))
  return items
    .filter((item) => mentionsError(`${item.title}\n${item.text}`, failure.line))
    .flatMap((item) => show(parts, failure, item, "mentions this error"))
}

/** A long entry is reduced to the passage on the error; the rest can be read by its id. */
function show(parts: RecallParts, { line, paths }: Failure, item: StoredItem, reason: string): KnownAdvice[] {
  const now = parts.now().getTime()
  const minConfidence = parts.learned?.settings.min_confidence
  const standing = eligibilityOf(item, { agent: undefined, paths, now, minConfidence, untrusted: parts.untrusted })
  if (standing.kind === "left") return []
  const whole = renderItem(item, standing.lane, now, parts.noteOn)
  const isLong = parts.countTokens(whole) > adviceBudget / 2
  const block = isLong ? renderItem({ ...item, text: makeSnippet(item.text, line).text }, standing.lane, now) : whole
  return [{ id: item.id, isLearned: item.source === "learned", reason, block }]
}

function triedInVain({ print }: Failure, { attempts }: ErrorKnowledge): KnownAdvice[] {
  if (print === undefined) return []
  return attempts
    .filter(({ error }) => error !== undefined && fingerprint(tellingLineOf(error) ?? "") === print)
    .map(({ id, text }) => ({
      id,
      isLearned: false,
      reason: "failed before with the same error",
      block: `Tried before in an active session, with the same error\n> ${quoteInline(id)}\n${quote(text)}`,
    }))
}

const longestText = 20_000
const mostWords = 60

/**
 * Whether a text quotes an error: enough words of its line occur in it in the same order that it can hardly be chance, and more than every
 * error has. Numbers, quotes and folders do not matter.
 */
export function mentionsError(text: string, line: string): boolean {
  const error = wordsOf(line).slice(0, mostWords)
  const said = wordsOf(text.slice(0, longestText))
  const starts = new Map<string, number[]>()
  for (const [at, word] of said.entries()) starts.set(word, [...(starts.get(word) ?? []), at])
  return error.some((word, from) => (starts.get(word) ?? []).some((at) => isQuoted(error, from, said, at)))
}

const fewestWords = 4

function isQuoted(error: readonly string[], from: number, said: readonly string[], at: number): boolean {
  let length = 0
  while (length < error.length - from && error[from + length] === said[at + length]) length++
  const run = error.slice(from, from + length)
  const telling = run.filter((word) => !common.has(word)).length
  return length >= fewestWords && telling >= 2 && run.join("").length >= 14
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/(?:[\w.@~+-]*[/\\])+(?=[\w.@+-])/g, "")
      .replace(/\d+/g, "#")
      .match(/[\p{L}#_$][\p{L}#_$.-]*/gu)
      ?.map((word) => word.replace(/[.-]+$/, "")) ?? []
  )
}

/** Words that errors of every kind contain. */
const common = new Set(
  "a an the of to in on at for with is was are be not no and or it this that error errors err failed failure fail fails cannot can't could couldn't unable found find from by as # file line code exit status command expected received but got has have does did exist exists path directory such yet first before been you your".split(
    " ",
  ),
)
