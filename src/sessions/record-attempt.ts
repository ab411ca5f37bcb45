import { DreyError } from "../errors.ts"
import type { Attempt, AttemptResult } from "../formats/session/agent-memory.ts"
import { instantOfMoment } from "../formats/session/instant-of-moment.ts"
import { attemptResults } from "../formats/session/known-values.ts"
import { addEntry } from "./add-entry.ts"
import { changeAttempt } from "./change-attempt.ts"
import { clearContent } from "./clear-values.ts"
import { cutBytes } from "./cut-text.ts"
import { findSimilarAttempt, type SimilarAttempt } from "./find-similar-attempt.ts"
import { followUp } from "./follow-up.ts"
import { noteFinish, noteStart } from "./keep-state.ts"
import { readMemories } from "./read-memories.ts"
import { currentStepOf, readPlan } from "./refresh-step.ts"
import { requireOneOf, requireText } from "./require-input.ts"
import type { AttemptChanges, AttemptEnd, NewAttempt } from "./session.ts"
import { attemptKey, type SessionParts } from "./session-parts.ts"

/** Records an attempt as in progress, at the current plan step by default, and returns similar failed attempts. */
export function startAttempt(
  parts: SessionParts,
  agent: string | undefined,
  { description, approach, planStep, commands }: NewAttempt,
): { attempt: Attempt; similar: SimilarAttempt[] } {
  requireText("description", description)
  const similar = findSimilarAttempt(
    [description, approach ?? ""].join("\n"),
    readMemories(parts.files, { archived: true, unreadable: "skip" }),
    parts,
  )
  const plan = readPlan(parts.files)
  const step = planStep ?? (plan && currentStepOf(plan)?.currentPlanStep)
  const fields = { planStep: step, description, approach, commands, result: "in_progress" }
  const { agent: name, entry } = addEntry(parts, agent, "attempts", fields)
  parts.seen.attempts.set(attemptKey(name, entry.id), entry)
  followUp(parts, () => noteStart(parts, name))
  return { attempt: entry, similar }
}

export function updateAttempt(parts: SessionParts, id: string, changes: AttemptChanges, agent?: string): Attempt {
  if ("result" in changes) throw new DreyError("An attempt gets its result when it is finished")
  return changeAttempt(parts, id, agent, () => prepare(changes)).attempt
}

/** Records the result and duration of an attempt. */
export function finishAttempt(parts: SessionParts, id: string, end: AttemptEnd, agent?: string): Attempt {
  requireText("result", end.result)
  requireOneOf("result", end.result, attemptResults.slice(0, 3))
  let before: AttemptResult = "in_progress"
  const { attempt, agent: name } = changeAttempt(parts, id, agent, (attempt) => {
    before = attempt.result
    return {
      ...inLineWith(end.result, attempt),
      ...prepare(end),
      duration_ms: attempt.duration_ms ?? msSince(attempt.timestamp, parts.now()),
    }
  })
  if (before !== "in_progress")
    parts.warn(`${attempt.id} of ${name} had already ended as ${before}; its result is now ${attempt.result}`)
  followUp(parts, () => noteFinish(parts, name, before, attempt))
  return attempt
}

/** The fields that close an unfinished attempt; its next step is kept. */
export function closingOf(attempt: Attempt, now: Date): Record<string, unknown> {
  return {
    ...inLineWith("partial", attempt),
    result: "partial",
    duration_ms: attempt.duration_ms ?? msSince(attempt.timestamp, now),
  }
}

const artifactBytes = 2048

/** Contents only serve to recognise files: long ones are cut, after the governance check has seen the whole text. */
function prepare(changes: AttemptChanges): Record<string, unknown> {
  for (const field of ["id", "timestamp", "updatedAt"])
    if (field in changes) throw new DreyError(`${field} of an attempt cannot be changed`)
  if (changes.description !== undefined) requireText("description", changes.description)
  requireProgress(changes.progress)
  if (!changes.artifacts) return changes
  const artifacts = changes.artifacts.map((artifact) =>
    artifact.content === undefined
      ? artifact
      : { ...artifact, content: cutBytes(clearContent(artifact.content), artifactBytes) },
  )
  return { ...changes, artifacts }
}

/** Values that are not numbers are informational and kept. */
function requireProgress(progress: AttemptChanges["progress"]): void {
  const [, percent] = /^\s{0,9}(-?\d{1,9}(?:\.\d{1,9})?)\s{0,9}%?\s{0,9}$/.exec(String(progress ?? "")) ?? []
  if (percent === undefined || (Number(percent) >= 0 && Number(percent) <= 100)) return
  throw new DreyError(`progress cannot be ${progress}`, { hint: "Write a number from 0 to 100, such as 60%." })
}

/** `status` and `progress` are informational: if present, they follow the result. */
function inLineWith(result: AttemptEnd["result"], { status, progress }: Attempt): Record<string, unknown> {
  return {
    ...(status === undefined ? {} : { status: { success: "complete", failure: "failed", partial: "partial" }[result] }),
    ...(progress !== undefined && result === "success" ? { progress: "100%" } : {}),
  }
}

function msSince(timestamp: string, now: Date): number | undefined {
  const start = instantOfMoment(timestamp)
  return start === undefined ? undefined : Math.max(0, now.getTime() - start)
}
