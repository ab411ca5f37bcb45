import { isDeepStrictEqual } from "node:util"
import { DreyError } from "../errors.ts"
import type { AgentMemory, MemoryContext } from "../formats/session/agent-memory.ts"
import type { YamlEdit } from "../formats/session/yaml-document.ts"
import { withhold } from "../governance/withhold.ts"
import { findAgentFile } from "./agent-files.ts"
import { changeMemory } from "./change-memory.ts"
import { clearContent, clearField } from "./clear-values.ts"
import { findConflicts, withConflicts } from "./find-conflicts.ts"
import { readPlan } from "./refresh-step.ts"
import { requireOneOf, requireText } from "./require-input.ts"
import type { ContextChanges } from "./session.ts"
import type { SessionParts } from "./session-parts.ts"

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
  throw new DreyError(`"${withhold(name)}" is not a field name`, {
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
