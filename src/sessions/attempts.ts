import { isDeepStrictEqual } from "node:util"
import { DreyError, exitCode } from "../errors.ts"
import type { AgentMemory, Attempt, AttemptResult } from "../formats/session/agent-memory.ts"
import { attemptResults } from "../formats/session/session-id.ts"
import type { YamlEdit } from "../formats/session/yaml-tree.ts"
import { instantOfMoment } from "../formats/timestamp.ts"
import { redactForbidden } from "../governance/redaction.ts"
import { type AgentFile, findAgentFile, listAgentFiles, readMemories } from "./agent-files.ts"
import { qualifiedId } from "./entry-references.ts"
import { addEntry } from "./recorded-entries.ts"
import type { AttemptChanges, AttemptEnd, NewAttempt } from "./session-api.ts"
import { clearContent, clearField, findConflicts, requireOneOf, requireText, withConflicts } from "./session-input.ts"
import { changeMemory } from "./session-memory.ts"
import { attemptKey, runFollowUp, type SessionParts } from "./session-parts.ts"
import { currentStepOf, readPlan } from "./session-plan.ts"
import { cutBytes, noteFinish, noteStart } from "./session-state.ts"
import { findSimilarAttempt, type SimilarAttempt } from "./similar-attempts.ts"

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
  runFollowUp(parts, () => noteStart(parts, name))
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
  runFollowUp(parts, () => noteFinish(parts, name, before, attempt))
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

/**
 * Sets fields of an attempt, found by its id or `agent/id`. `change` receives it as stored; undefined leaves a field
 * unchanged.
 */
function changeAttempt(
  parts: SessionParts,
  reference: string,
  agent: string | undefined,
  change: (attempt: Attempt) => Record<string, unknown>,
): { agent: string; attempt: Attempt } {
  const { file, id } = findAttempt(parts, reference, agent)
  const key = attemptKey(file.agent, id)
  const memory = changeMemory(parts, file, (memory) => {
    const { attempt, index } = pick(memory, id)
    return attemptEdits(parts, file.agent, attempt, index, change(attempt))
  })
  const { attempt } = pick(memory, id)
  parts.seen.attempts.set(key, attempt)
  return { agent: file.agent, attempt }
}

/** The edits that set these fields; values of another process that they replace are kept in `_conflict`. */
export function attemptEdits(
  parts: SessionParts,
  agent: string,
  attempt: Attempt,
  index: number,
  fields: Record<string, unknown>,
): YamlEdit[] {
  const changed = Object.entries(fields)
    .map(([field, value]) => [field, clearField(field, value)] as const)
    .filter(([field, value]) => value !== undefined && !isDeepStrictEqual(value, attempt[field]))
  if (changed.length === 0) return []
  const names = changed.map(([field]) => field)
  const conflicts = findConflicts(parts.seen.attempts.get(attemptKey(agent, attempt.id)), attempt, names)
  for (const field of Object.keys(conflicts))
    parts.warn(`Another process changed ${field} of ${attempt.id} in the meantime; its value is kept in _conflict`)
  const set = (field: string, value: unknown): YamlEdit => ({ op: "set", path: ["attempts", index, field], value })
  return [
    ...changed.map(([field, value]) => set(field, value)),
    set("updatedAt", parts.now().toISOString()),
    ...(Object.keys(conflicts).length === 0 ? [] : [set("_conflict", withConflicts(attempt._conflict, conflicts))]),
  ]
}

function findAttempt(parts: SessionParts, id: string, agent: string | undefined): { file: AgentFile; id: string } {
  const { files } = parts
  const holds = ({ path }: AgentFile) => files.read("memory", path)?.data.attempts.some((each) => each.id === id)
  const candidates = agent === undefined ? listAgentFiles(files) : [findAgentFile(files, agent)]
  const [found, other] = candidates.filter(holds)
  if (found && other)
    throw new DreyError(`Both ${found.agent} and ${other.agent} have an attempt ${id}`, {
      hint: `Name the agent: ${found.agent}/${id}, or --agent ${found.agent}.`,
    })
  if (found) return { file: found, id }
  const named = listAgentFiles(files).find((file) => id.startsWith(qualifiedId(file.agent, "")))
  if (named) return findAttempt(parts, id.slice(qualifiedId(named.agent, "").length), named.agent)
  const archived = candidates.find(({ archivePath }) =>
    files.readValid("memory", archivePath)?.data.attempts.some((each) => each.id === id),
  )
  throw archived
    ? new DreyError(`${id} of ${archived.agent} is archived and can no longer be changed`, {
        exitCode: exitCode.no,
      })
    : notFound(files, id, agent, candidates)
}

function notFound(
  files: SessionParts["files"],
  id: string,
  agent: string | undefined,
  candidates: readonly AgentFile[],
): DreyError {
  const open = candidates.flatMap((file) =>
    (files.readValid("memory", file.path)?.data.attempts ?? [])
      .filter(({ result }) => result === "in_progress")
      .map((attempt) => (candidates.length === 1 ? attempt.id : qualifiedId(file.agent, attempt.id))),
  )
  return new DreyError(
    `There is no attempt "${redactForbidden(id)}"${agent === undefined ? "" : ` of ${redactForbidden(agent)}`}`,
    {
      hint: open.length === 0 ? "No attempt is in progress." : `In progress: ${open.join(", ")}.`,
      exitCode: exitCode.no,
    },
  )
}

function pick(memory: AgentMemory, id: string): { attempt: Attempt; index: number } {
  const index = memory.attempts.findIndex((each) => each.id === id)
  const attempt = memory.attempts[index]
  if (!attempt) throw new DreyError(`${id} was removed from the file in the meantime`, { exitCode: exitCode.no })
  return { attempt, index }
}
