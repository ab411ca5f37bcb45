import type { Attempt } from "../../formats/session/agent-memory.ts"
import type { AgentAttempt } from "../entries-of.ts"
import { errorOf } from "../error-of.ts"
import { recurringFailures } from "../recurring-failures.ts"
import { filesIn } from "./files-in.ts"
import { findSolvedFailures, fingerprintOf, type SolvedFailure } from "./find-solved-failures.ts"
import { type AgentMemories, type LearnedGraduate, nameOf, type Source } from "./graduate.ts"
import { statementsOf } from "./statements-of.ts"
import { type Solution, tellSolution } from "./tell-solution.ts"

/** Failures that were solved: what worked and what did not. An error that came again is something to be warned of. */
export function graduateSolutions(memories: AgentMemories): LearnedGraduate[] {
  const recurring = new Map(recurringFailures(memories).map((each) => [each.fingerprint, each.count]))
  return findSolvedFailures(memories).flatMap((solved) => {
    const told = solved.success.attempt.graduatedTo === undefined ? tellSolution(solved, recurring) : undefined
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

/** They are told by themselves, as a note of the agent. */
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
