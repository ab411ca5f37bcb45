import { fingerprint } from "../../formats/fingerprint.ts"
import type { Attempt } from "../../formats/session/agent-memory.ts"
import { aimWords, attemptWords, similarityOf } from "../attempt-words.ts"
import { type AgentAttempt, attemptsOfAll, newestFirst } from "../entries-of.ts"
import { errorOf } from "../error-of.ts"
import { type AgentMemories, nameOf } from "./graduate.ts"

/** Attempts at one thing that failed, whoever made them, and the one that then succeeded; oldest first. */
export type SolvedFailure = {
  failures: AgentAttempt[]
  success: AgentAttempt
  /** More than one sign tells that the success is the answer to these failures. */
  isCertain: boolean
}

/** What failed first and then succeeded. A success after which the same error came back has solved nothing. */
export function findSolvedFailures(memories: AgentMemories): SolvedFailure[] {
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

/** By all that is said of them; or by what they are for, in which few words say much: at a step of the plan, one. */
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

/** What a failure has in common with others of the same cause; undefined when it does not say what went wrong. */
export function fingerprintOf({ attempt }: AgentAttempt): string | undefined {
  return fingerprint(errorOf(attempt) ?? "")
}
