import { lengthOf } from "../../formats/entry.ts"
import { findErrorLine, fingerprint } from "../../formats/error-line.ts"
import type { Attempt } from "../../formats/session/agent-memory.ts"
import { trimEndOf } from "../../formats/source-text.ts"
import { clip, longestMemory, toOneLine } from "../../formats/text.ts"
import { type AgentAttempt, attemptsOfAll, errorOf, newestFirst } from "../agent-entries.ts"
import { recurringFailures } from "../failed-attempts.ts"
import { aimWords, attemptWords, similarityOf } from "../similar-attempts.ts"
import {
  type AgentMemories,
  filesIn,
  isIncomplete,
  isMomentary,
  type LearnedGraduate,
  nameOf,
  type Source,
  statementsOf,
} from "./graduate.ts"

/** Failures that were solved: what worked and what did not. An error that came again is something to be warned of. */
export function graduateSolutions(memories: AgentMemories): LearnedGraduate[] {
  const recurring = new Map(recurringFailures(memories).map((each) => [each.fingerprint, each.count]))
  return findSolvedFailures(memories).flatMap((solved) => {
    const told = solved.success.attempt.graduatedTo === undefined ? describeSolution(solved, recurring) : undefined
    return told === undefined ? [] : toGraduate(solved, told)
  })
}

function toGraduate(
  { failures, success, isCertain }: SolvedFailure,
  { text, times, warns }: Solution,
): LearnedGraduate {
  const told = failures.filter(({ attempt }) => attempt.graduatedTo === undefined && !hasLessons(attempt))
  const failed = failures.map((each) => nameOf(sourceOf(each))).join(", ")
  const again = times > 1 ? `; its error came ${times} times` : ""
  return {
    target: "learned",
    id: nameOf(sourceOf(success)),
    why: `${failed} failed and ${nameOf(sourceOf(success))} then succeeded${again}`,
    sources: [success, ...told].map(sourceOf),
    inAuto: isCertain,
    kind: warns ? "guard" : "pattern",
    text,
    confidence: Math.min(0.8, 0.5 + failures.length / 10),
    trigger: {
      tools: [],
      heads: [],
      paths: filesIn(success.attempt.artifacts.map(({ path }) => path)),
      fingerprints: [...new Set(failures.flatMap((each) => fingerprintOf(each) ?? []))],
    },
    evidence: "failure_then_success",
    quotes: [...failures.toReversed(), success].map(quoteOf),
  }
}

/** They are listed separately, as a note of the agent. */
function hasLessons({ lessons }: Attempt): boolean {
  return statementsOf(lessons ?? "").length > 0
}

function sourceOf({ agent, attempt }: AgentAttempt): Source {
  return { agent, id: attempt.id }
}

function quoteOf(each: AgentAttempt): LearnedGraduate["quotes"][number] {
  const { result, description, timestamp, updatedAt = timestamp } = each.attempt
  const outcome = result === "failure" ? (errorOf(each.attempt) ?? result) : result
  return { ...sourceOf(each), ts: updatedAt, text: `${description}: ${outcome}` }
}

/** Failed attempts at the same thing by any agent, and the one that then succeeded; oldest first. */
type SolvedFailure = {
  failures: AgentAttempt[]
  success: AgentAttempt
  /** More than one signal that the success solves these failures. */
  isCertain: boolean
}

/** What failed first and then succeeded. A success after which the same error came back has solved nothing. */
function findSolvedFailures(memories: AgentMemories): SolvedFailure[] {
  const links = linksIn(memories)
  const solved: SolvedFailure[] = []
  let open: AgentAttempt[] = []
  for (const each of newestFirst(attemptsOfAll(memories), ({ attempt }) => attempt).reverse()) {
    if (each.attempt.result === "failure") {
      const undone = solved.findIndex(({ failures }) => failures.some((failure) => isSameError(failure, each)))
      if (undone !== -1) open.push(...(solved.splice(undone, 1)[0]?.failures ?? []))
      open = [...open, each].slice(-mostOpen)
    } else if (each.attempt.result === "success") {
      const signs = new Map(open.map((failure) => [failure, countSigns(failure, each, links)]))
      const failures = open.filter((failure) => (signs.get(failure) ?? 0) > 0)
      if (failures.length === 0) continue
      open = open.filter((failure) => !failures.includes(failure))
      solved.push({ failures, success: each, isCertain: failures.every((failure) => (signs.get(failure) ?? 0) > 1) })
    }
  }
  return solved
}

/** So many failures at most wait for their solution; each success is held against all of them. */
const mostOpen = 200

/**
 * How many signs there are that a success is the answer to a failure: the same aim, a file in common, a decision that names both. The
 * same step of the plan is a sign only beside one of these, and another step is one against it.
 */
function countSigns(
  { agent, attempt: failure }: AgentAttempt,
  success: AgentAttempt,
  links: ReadonlySet<string>,
): number {
  const { attempt } = success
  const steps = [failure.planStep, attempt.planStep].filter((step) => step !== undefined)
  const isSameStep = steps.length === 2 && steps[0] === steps[1]
  if (steps.length === 2 && !isSameStep) return 0
  const files = new Set(failure.artifacts.map(({ path }) => path))
  const signs = [
    isLike(failure, attempt, isSameStep ? 1 : 2),
    attempt.artifacts.some(({ path }) => files.has(path)),
    links.has(linkOf(nameOf({ agent, id: failure.id }), nameOf({ agent: success.agent, id: attempt.id }))),
  ].filter(Boolean).length
  return signs === 0 ? 0 : signs + Number(isSameStep)
}

/** By their whole text; or by their purpose, in which few words are enough: within one step of the plan, one word. */
function isLike(one: Attempt, other: Attempt, leastShared: number): boolean {
  if (similarityOf(attemptWords(one), attemptWords(other)) !== undefined) return true
  const [aim, otherAim] = [aimWords(one), aimWords(other)]
  const shared = [...aim].filter((word) => otherAim.has(word)).length
  return shared >= leastShared && shared / Math.min(aim.size, otherAim.size) >= 0.5
}

/** Pairs of attempts that a decision names together. */
function linksIn(memories: AgentMemories): Set<string> {
  const links = new Set<string>()
  for (const [agent, { decisions }] of memories) {
    for (const { relatedAttempts } of decisions) {
      const names = relatedAttempts.map((id) => (id.includes("/") ? id : nameOf({ agent, id })))
      for (const one of names) for (const other of names) links.add(linkOf(one, other))
    }
  }
  return links
}

function linkOf(one: string, other: string): string {
  return `${one}\n${other}`
}

function isSameError(one: AgentAttempt, other: AgentAttempt): boolean {
  const print = fingerprintOf(one)
  return print !== undefined && print === fingerprintOf(other)
}

/** What a failure has in common with others of the same cause; undefined if it does not name what went wrong. */
function fingerprintOf({ attempt }: AgentAttempt): string | undefined {
  return fingerprint(errorOf(attempt) ?? "")
}

/** `times`: how often the error occurred. `warns`: the text says what not to do. */
type Solution = { text: string; times: number; warns: boolean }

/**
 * The lesson of a solved failure, in one or two sentences that name the error, what worked and what did not; undefined if that is unknown,
 * or applied only to that session.
 */
function describeSolution(solved: SolvedFailure, recurring: ReadonlyMap<string, number>): Solution | undefined {
  const failed = solved.failures.findLast(({ attempt }) => errorOf(attempt) !== undefined)
  const parts = failed && partsOf(solved, failed)
  if (failed === undefined || parts === undefined) return undefined
  const times = recurring.get(fingerprintOf(failed) ?? "") ?? 1
  const warns = times > 1 && parts.wrong.length > 0
  const tell = (share: number) => (warns ? warn(cut(parts, share), times) : advise(cut(parts, share)))
  const text = [1, 0.75].map(tell).find((each) => lengthOf(each) <= longestMemory) ?? tell(0.5)
  return { text, times, warns }
}

/** Its parts. `wrong` is the approach of those that failed. */
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

/** So that everything fits: the end, which may name what works, must not be lost. */
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

/** What made the difference: the lesson, otherwise what was done if it differs from what failed, and how. */
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

/** A program's output is kept verbatim; an agent's own text may be about the current work. */
function tellError(error: string): string | undefined {
  if (findErrorLine(error) === undefined) return phraseOf(error)
  return isIncomplete(error) ? undefined : withoutEnds(error)
}

function phraseOf(text: string): string | undefined {
  const line = withoutEnds(text)
  return line === "" || isMomentary(line) || isIncomplete(line) ? undefined : line
}

/** As part of one of our sentences. */
function withoutEnds(text: string): string {
  return trimEndOf(toOneLine(text).replace(/[.!?](?= [\p{Lu}\p{N}`"'“*])/gu, ";"), /[.;:,!\s]/)
}

function quote(text: string): string {
  return `"${text.replace(/^["“](.*)["”]$/, "$1").replaceAll('"', "'")}"`
}
