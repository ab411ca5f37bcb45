import { findTellingLine } from "../formats/error-line.ts"
import { fingerprint } from "../formats/fingerprint.ts"
import { quote, quoteInline } from "../formats/quote.ts"
import type { StoredItem } from "../index/index-store.ts"
import type { FailedAttempt } from "./compile-guards.ts"
import { findRanked } from "./find-ranked.ts"
import { type Asking, type HandedItem, type HandOut, handOut, handOutId } from "./hand-out.ts"
import { mentionsError } from "./mentions-error.ts"
import type { RecallParts } from "./recall-parts.ts"
import { partEnd, renderItem, untrustedOpening, wrapParts } from "./render-context.ts"
import { makeSnippet } from "./snippet.ts"
import { standingOf } from "./standing.ts"
import type { ToolCall } from "./tool-call.ts"

export type ErrorKnowledge = {
  /** Ids of learned memories that originate from a failure with this fingerprint. */
  learnedFrom(fingerprint: string): readonly string[]
  /** Failed attempts of active sessions. */
  attempts: readonly FailedAttempt[]
}

export type AdviceRequest = Asking & {
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
): Promise<HandOut | undefined> {
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
  const line = findTellingLine(text)
  return line && text.slice(line.start, line.end).trim()
}

type Known = Omit<HandedItem, "tokens"> & { block: string }

function write(taskId: string, lead: string, known: readonly Known[]): string {
  const blocks = known.map(({ block }) => block)
  return wrapParts(taskId, lead, blocks).join(partEnd)
}

/** Each item once, strongest first; a shorter one may fit where a longer one did not. */
function takeWhatFits(known: readonly Known[], fits: (some: readonly Known[]) => boolean): Known[] {
  const taken: Known[] = []
  for (const each of known) {
    if (!taken.some(({ id }) => id === each.id) && fits([...taken, each])) taken.push(each)
  }
  return taken
}

async function learnedFrom(parts: RecallParts, failure: Failure, knowledge: ErrorKnowledge): Promise<Known[]> {
  const ids = failure.print === undefined ? [] : knowledge.learnedFrom(failure.print)
  const items = ids.length === 0 ? [] : await parts.index.items([...ids])
  return items.flatMap((item) => show(parts, failure, item, "learned from the same error"))
}

async function mentioning(parts: RecallParts, failure: Failure): Promise<Known[]> {
  const ranked = (await findRanked(parts, failure.line, { not: { sources: ["session"] } })).slice(0, mostLookedAt)
  const items = await parts.index.rows(ranked.map(({ candidate }) => candidate.row))
  return items
    .filter((item) => mentionsError(`${item.title}\n${item.text}`, failure.line))
    .flatMap((item) => show(parts, failure, item, "mentions this error"))
}

/** A long entry is reduced to the passage on the error; the rest can be read by its id. */
function show(parts: RecallParts, { line, paths }: Failure, item: StoredItem, reason: string): Known[] {
  const now = parts.now().getTime()
  const minConfidence = parts.learned?.settings.min_confidence
  const standing = standingOf(item, { agent: undefined, paths, now, minConfidence, untrusted: parts.untrusted })
  if (standing.kind === "left") return []
  const whole = renderItem(item, standing.lane, now, parts.noteOn)
  const isLong = parts.countTokens(whole) > adviceBudget / 2
  const block = isLong ? renderItem({ ...item, text: makeSnippet(item.text, line).text }, standing.lane, now) : whole
  return [{ id: item.id, isLearned: item.source === "learned", reason, block }]
}

function triedInVain({ print }: Failure, { attempts }: ErrorKnowledge): Known[] {
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
