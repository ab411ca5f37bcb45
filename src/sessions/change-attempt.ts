import { isDeepStrictEqual } from "node:util"
import { DreyError, exitCode } from "../errors.ts"
import type { AgentMemory, Attempt } from "../formats/session/agent-memory.ts"
import type { YamlEdit } from "../formats/session/yaml-document.ts"
import { withhold } from "../governance/withhold.ts"
import { type AgentFile, findAgentFile, listAgentFiles } from "./agent-files.ts"
import { changeMemory } from "./change-memory.ts"
import { clearField } from "./clear-values.ts"
import { findConflicts, withConflicts } from "./find-conflicts.ts"
import { qualifiedId } from "./references-of.ts"
import { attemptKey, type SessionParts } from "./session-parts.ts"

/**
 * Sets fields of an attempt, found by its id or `agent/id`. `change` receives it as stored; undefined leaves a field
 * unchanged.
 */
export function changeAttempt(
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
  return new DreyError(`There is no attempt "${withhold(id)}"${agent === undefined ? "" : ` of ${withhold(agent)}`}`, {
    hint: open.length === 0 ? "No attempt is in progress." : `In progress: ${open.join(", ")}.`,
    exitCode: exitCode.no,
  })
}

function pick(memory: AgentMemory, id: string): { attempt: Attempt; index: number } {
  const index = memory.attempts.findIndex((each) => each.id === id)
  const attempt = memory.attempts[index]
  if (!attempt) throw new DreyError(`${id} was removed from the file in the meantime`, { exitCode: exitCode.no })
  return { attempt, index }
}
