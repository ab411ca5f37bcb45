import { lengthOf } from "../../formats/entry.ts"
import { findErrorLine } from "../../formats/error-line.ts"
import { clip, longestMemory, toOneLine } from "../../formats/memory-text.ts"
import type { Attempt } from "../../formats/session/agent-memory.ts"
import { trimEndOf } from "../../formats/source-text.ts"
import type { AgentAttempt } from "../entries-of.ts"
import { errorOf } from "../error-of.ts"
import { fingerprintOf, type SolvedFailure } from "./find-solved-failures.ts"
import { isIncomplete, isMomentary } from "./is-momentary.ts"
import { statementsOf } from "./statements-of.ts"

/** `times`: how often the error came. `warns`: the text says what not to do. */
export type Solution = { text: string; times: number; warns: boolean }

/**
 * What a solved failure teaches, in one or two sentences that name the error, what worked and what did not; undefined when that cannot be
 * told, or held only in that session.
 */
export function tellSolution(solved: SolvedFailure, recurring: ReadonlyMap<string, number>): Solution | undefined {
  const failed = solved.failures.findLast(({ attempt }) => errorOf(attempt) !== undefined)
  const parts = failed && partsOf(solved, failed)
  if (failed === undefined || parts === undefined) return undefined
  const times = recurring.get(fingerprintOf(failed) ?? "") ?? 1
  const warns = times > 1 && parts.wrong.length > 0
  const tell = (share: number) => (warns ? warn(cut(parts, share), times) : advise(cut(parts, share)))
  const text = [1, 0.75].map(tell).find((each) => lengthOf(each) <= longestMemory) ?? tell(0.5)
  return { text, times, warns }
}

/** What it is made of. `wrong` is how those that failed went about it. */
type Parts = { aim: string | undefined; error: string; works: string; wrong: string[] }

function partsOf({ failures, success }: SolvedFailure, { attempt: failed }: AgentAttempt): Parts | undefined {
  const error = tellError(errorOf(failed) ?? "")
  const works = wayOf(success.attempt, failed)
  if (error === undefined || works === undefined) return undefined
  const aim = phraseOf(failed.description.replace(/^(?:plan )?step \d{1,3}\s{0,3}[:.–-]\s{0,3}/i, ""))
  const ways = failures.flatMap(({ attempt: { approach = "" } }) =>
    isList(approach) ? [] : (firstPhrase(approach) ?? []),
  )
  return { aim, error, works, wrong: [...new Set(ways)].filter((way) => way !== works) }
}

/** Not all of a list need be wrong. */
function isList(approach: string): boolean {
  return /:\s*\n\s*[-*\d]/.test(approach)
}

/** So that all of it has a place: the end, which may say what works, must not be what is lost. */
function cut({ aim, error, works, wrong }: Parts, share: number): Parts {
  const to = (most: number, text: string) => clip(text, Math.round(most * share))
  return {
    aim: aim && to(70, aim),
    error: to(110, error),
    works: to(160, works),
    wrong: share === 1 ? wrong.slice(-2) : wrong.slice(-1).map((way) => to(120, way)),
  }
}

function advise({ aim, error, works, wrong }: Parts): string {
  const what = aim === undefined ? "something" : quote(aim)
  const told = `When ${what} fails with ${quote(error)}, this works: ${withEnd(works)}`
  return wrong.length === 0 ? told : `${told} This did not: ${withEnd(wrong.join("; or: "))}`
}

function warn({ aim, error, works, wrong }: Parts, times: number): string {
  const what = aim === undefined ? "This" : `For ${quote(aim)} this`
  const told = `${what} failed ${times} times with ${quote(error)}: ${withEnd(wrong.join("; or: "))}`
  return `${told} This works instead: ${withEnd(works)}`
}

function withEnd(text: string): string {
  return text.endsWith("…") ? text : `${text}.`
}

/** What made the difference: what was learned from it, else what was done, when that is not what failed before, and how. */
function wayOf({ lessons, approach, description }: Attempt, failed: Attempt): string | undefined {
  const learned = firstPhrase(lessons ?? "")
  if (learned !== undefined) return learned
  const ways = [description === failed.description ? "" : description, approach ?? ""].flatMap(
    (way) => firstPhrase(way) ?? [],
  )
  return ways.length === 0 ? undefined : ways.join("; ")
}

function firstPhrase(text: string): string | undefined {
  const [first] = statementsOf(text)
  return first && phraseOf(first)
}

/** The words of a program stay what they are; an agent's own may be about the work in hand. */
function tellError(error: string): string | undefined {
  if (findErrorLine(error) === undefined) return phraseOf(error)
  return isIncomplete(error) ? undefined : withoutEnds(error)
}

function phraseOf(text: string): string | undefined {
  const line = withoutEnds(text)
  return line === "" || isMomentary(line) || isIncomplete(line) ? undefined : line
}

/** As a piece of a sentence of ours. */
function withoutEnds(text: string): string {
  return trimEndOf(toOneLine(text).replace(/[.!?](?= [\p{Lu}\p{N}`"'“*])/gu, ";"), /[.;:,!\s]/)
}

function quote(text: string): string {
  return `"${text.replace(/^["“](.*)["”]$/, "$1").replaceAll('"', "'")}"`
}
