import { cleanMemoryText, longestMemory, toOneLine } from "../../formats/text.ts"
import { lastEdit, undoEdit } from "../../memories/memory-edits.ts"
import { one, type Steps } from "../../memories/steps.ts"
import type { Changed, UndoAnswer } from "../../recall/browse/app-api.ts"
import { adminReachOf, type TeamCaller } from "../identity/caller.ts"
import { addTeamAudit } from "../identity/team-audit.ts"
import { changeTeamMemory, ownMemory, removeTeamMemory, type TeamMemoryChange } from "../memories/memory-changes.ts"
import { refuse } from "../refusal.ts"
import { rowsOf, type TeamParts } from "../team-parts.ts"

export type ItemChange = { caller: TeamCaller; id: string; version: string }

/** Changes a memory and offers an undo. */
export function changeItem(
  parts: TeamParts,
  { caller, id, version }: ItemChange,
  change: TeamMemoryChange,
  summary: string,
): Promise<Changed> {
  const now = parts.now().toISOString()
  return rowsOf(parts, adminReachOf(caller)).write(function* () {
    const changing = { caller, id, version: Number(version), change, now, embed: parts.memory.embed }
    const changed = yield* changeTeamMemory(changing)
    return { id: changed.id, summary, undo: yield* offerFor(id) }
  })
}

export function forgetItem(
  parts: TeamParts,
  { caller, id, version }: ItemChange,
  reason = "a person asked for it",
): Promise<Changed> {
  const now = parts.now().toISOString()
  return rowsOf(parts, adminReachOf(caller)).write(function* () {
    yield* removeTeamMemory({ caller, id, version: Number(version), reason, purge: false, now })
    return { id: null, summary: "Forgotten", undo: yield* offerFor(id) }
  })
}

/** Undoes a change if nothing else has changed in its project since. */
export function undoChange(parts: TeamParts, caller: TeamCaller, key: string): Promise<Changed> {
  const now = parts.now().toISOString()
  return rowsOf(parts, adminReachOf(caller)).write(function* () {
    const [, edit = "", id = ""] = /^(\d+) (m-[0-9a-f]{16})$/.exec(key) ?? []
    const memory = yield* ownMemory(caller, id)
    const project = memory.project ?? ""
    const restored = (yield* lastEdit(project))?.memory === id && (yield* undoEdit(project, Number(edit), now))
    if (!restored) return refuse(409, "changed", "It can no longer be undone: something else has changed since.")
    yield* addTeamAudit({ actor: caller.member.name, action: "memory change undone", subject: id }, now)
    return { id: restored, summary: "Undone", undo: null }
  })
}

function* offerFor(id: string): Steps<UndoAnswer | null> {
  const row = yield* one<{ project: string | null }>(
    "SELECT project_id AS project FROM memories WHERE memory_id = ?",
    id,
  )
  const last = yield* lastEdit(row?.project ?? "")
  if (last?.memory !== id) return null
  return { key: `${last.edit} ${id}`, summary: `"${last.action}": ${last.text}`, at: last.ts }
}

/** Rejects text that would be truncated. */
export function memoryWords(given: string): string {
  const text = toOneLine(given)
  if (text === "") return refuse(422, "refused", "The text is empty.")
  if (cleanMemoryText(text) === text) return text
  return refuse(422, "refused", `A memory is one or two sentences, at most ${longestMemory} characters.`)
}
