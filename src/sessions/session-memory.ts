import { isDeepStrictEqual } from "node:util"
import { DreyError } from "../errors.ts"
import type { AgentMemory, MemoryContext } from "../formats/session/agent-memory.ts"
import type { SessionProblem } from "../formats/session/session-problem.ts"
import type { YamlEdit } from "../formats/session/yaml-tree.ts"
import { instantOfMoment } from "../formats/timestamp.ts"
import { redactForbidden } from "../governance/redaction.ts"
import { type AgentFile, findAgentFile } from "./agent-files.ts"
import type { ContextChanges } from "./session-api.ts"
import { archiveAgent, fileBytes } from "./session-archive.ts"
import { describeProblem, newMemory, type StoredFile } from "./session-files.ts"
import { clearContent, clearField, findConflicts, requireOneOf, requireText, withConflicts } from "./session-input.ts"
import { updateMetadata } from "./session-metadata.ts"
import { runFollowUp, type SessionParts } from "./session-parts.ts"
import { readPlan, stepEdits } from "./session-plan.ts"

const archiveAgeMs = 4 * 3_600_000
const warningAgeMs = 2 * 3_600_000
const warningBytes = 50_000

/**
 * Changes an agent's memory, which starts with this if there is none, and everything that depends on it: the step of the plan, the archive
 * if the file or the session has grown too large, the metadata. Returns the memory as written, before anything was archived.
 */
export function changeMemory(
  parts: SessionParts,
  file: AgentFile,
  edit: (memory: AgentMemory) => readonly YamlEdit[],
): AgentMemory {
  const { files, now } = parts
  let before: StoredFile<"memory"> | undefined
  const changed = files.change(
    "memory",
    file.path,
    (stored) => {
      before = stored
      const edits = edit(stored.data)
      if (edits.length === 0) return []
      const updatedAt = { op: "set", path: ["updatedAt"], value: now().toISOString() } as const
      return [...edits, ...stepEdits(parts, stored.data), updatedAt]
    },
    () => newMemory(files.id, file.agent, now()),
  )
  if (changed === before) return changed.data
  warnOfSize(parts, before, changed)
  warnOfProblems(parts, before, changed)
  let archived = false
  runFollowUp(parts, () => {
    archived = isArchiveDue(changed) && archive(parts, file)
  })
  runFollowUp(parts, () => {
    const left = files.read("memory", file.path)?.data ?? changed.data
    updateMetadata(parts, { agent: file.agent, before: before?.data, after: changed.data, left, archived })
  })
  return changed.data
}

function isArchiveDue({ bytes, data }: StoredFile<"memory">): boolean {
  return bytes > fileBytes.most || ageOf(data) > archiveAgeMs
}

function archive({ files, now, warn }: SessionParts, file: AgentFile): boolean {
  const archiving = archiveAgent(files, file, now())
  if (archiving?.stillTooLarge)
    warn(`${file.path} is ${inKilobytes(archiving.bytesAfter)} KB, and nothing more can be archived`)
  return archiving !== undefined
}

/** Once, when the file grows over it. */
function warnOfSize(
  { warn }: SessionParts,
  before: StoredFile<"memory"> | undefined,
  after: StoredFile<"memory">,
): void {
  const { path, bytes, data } = after
  if (bytes > warningBytes && (before?.bytes ?? 0) <= warningBytes && ageOf(data) < warningAgeMs)
    warn(`${path} is over ${inKilobytes(warningBytes)} KB after less than two hours; keep entries short`)
}

/** What the change added. References may point into other files, so they are checked separately. */
function warnOfProblems(
  { warn }: SessionParts,
  before: StoredFile<"memory"> | undefined,
  after: StoredFile<"memory">,
): void {
  const known = new Set(before?.problems.map(describeProblem))
  const isNew = (problem: SessionProblem) =>
    !["unknown-reference", "too-large"].includes(problem.code) && !known.has(describeProblem(problem))
  for (const problem of after.problems.filter(isNew)) warn(describeProblem(problem))
}

/** From the beginning of a file to its last change. */
function ageOf({ createdAt, updatedAt = createdAt }: AgentMemory): number {
  return (instantOfMoment(updatedAt) ?? 0) - (instantOfMoment(createdAt) ?? 0)
}

function inKilobytes(bytes: number): number {
  return Math.round(bytes / 1000)
}

export const contextLists = ["constraints", "openQuestions", "nextSteps", "blockers", "assumptions"] as const
const planFields = ["currentPlanStep", "planStepStatus"]

/**
 * Sets fields of an agent's context (`taskContext.runtime` for a nested one), and adds to or removes from its lists.
 */
export function updateContext(parts: SessionParts, agent: string | undefined, changes: ContextChanges): MemoryContext {
  const { set = {}, add = {}, remove = {} } = changes
  for (const [list, items] of [...Object.entries(add), ...Object.entries(remove)]) {
    requireOneOf("The list", list, contextLists)
    for (const item of items) requireText(list, item)
  }
  const file = findAgentFile(parts.files, agent)
  const memory = changeMemory(parts, file, (memory) => [
    ...setEdits(parts, memory, set),
    ...contextLists.flatMap((list) => [
      ...removeEdits(parts, list, memory.context?.[list] ?? [], remove[list] ?? []),
      ...addEdits(list, memory.context?.[list] ?? [], add[list] ?? []),
    ]),
  ])
  const context = memory.context ?? emptyContext()
  parts.seen.contexts.set(file.agent, context)
  return context
}

export function emptyContext(): MemoryContext {
  return { filesInScope: [], constraints: [], openQuestions: [], nextSteps: [], blockers: [], assumptions: [] }
}

function setEdits(parts: SessionParts, { agent, context }: AgentMemory, set: Record<string, unknown>): YamlEdit[] {
  const hasPlan = readPlan(parts.files) !== undefined
  const edits: YamlEdit[] = []
  const changing = new Set<string>()
  for (const [name, value] of Object.entries(set)) {
    const path = pathOf(name)
    const [first = ""] = path
    requireMaps(context, path)
    if (value === undefined || isDeepStrictEqual(valueAt(context, path), clearField(path.at(-1) ?? name, value)))
      continue
    if (hasPlan && planFields.includes(first)) {
      parts.warn(`${first} is set from plan.yaml; change the step there`)
      continue
    }
    changing.add(first)
    edits.push({ op: "set", path: ["context", ...path], value: value === null ? undefined : value })
  }
  const conflicts = findConflicts(parts.seen.contexts.get(agent), context ?? {}, [...changing])
  if (Object.keys(conflicts).length === 0) return edits
  for (const field of Object.keys(conflicts))
    parts.warn(
      `Another process changed ${field} in the context of ${agent} in the meantime; its value is kept in _conflict`,
    )
  return [...edits, { op: "set", path: ["context", "_conflict"], value: withConflicts(context?._conflict, conflicts) }]
}

function pathOf(name: string): string[] {
  const path = name.split(".")
  if (path.every((key) => /^[A-Za-z][\w-]{0,99}$/.test(key))) return path.map(clearContent)
  throw new DreyError(`"${redactForbidden(name)}" is not a field name`, {
    hint: "A name is made of letters, digits, dashes and underscores, with dots between levels: taskContext.runtime.",
  })
}

/** Only a map can have named fields. */
function requireMaps(context: unknown, path: readonly string[]): void {
  for (let length = 1; length < path.length; length++) {
    const above = valueAt(context, path.slice(0, length)) ?? {}
    if (typeof above === "object" && !Array.isArray(above)) continue
    throw new DreyError(`${path.slice(0, length).join(".")} of the context is not a map`)
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    value,
  )
}

function addEdits(list: string, present: readonly string[], items: readonly string[]): YamlEdit[] {
  const cleared = [...new Set(items.map((item) => String(clearContent(item.trim()))))]
  return cleared
    .filter((item) => !present.includes(item))
    .map((value) => ({ op: "append", path: ["context", list], value }))
}

/** From last to first, so that indexes stay valid. */
function removeEdits(
  { warn }: SessionParts,
  list: string,
  present: readonly string[],
  items: readonly string[],
): YamlEdit[] {
  const cleared = new Set(items.map((item) => String(clearContent(item.trim()))))
  for (const item of cleared) if (!present.includes(item)) warn(`${list} does not contain "${item}"`)
  return present
    .flatMap((item, index) => (cleared.has(item) ? [index] : []))
    .reverse()
    .map((index) => ({ op: "remove", path: ["context", list, index] }))
}
