import type { Roster } from "../../formats/legacy/roster.ts"
import { readEntries, type Segment } from "../../formats/read-entries.ts"
import { type Cleared, clearText, generated } from "../../governance/cleared.ts"
import { contextAt } from "../draft.ts"
import { writeJson } from "./bundle.ts"

/** Rejected content: its place and rule, never the value. */
export type Refusal = { path: string; line: number; id?: string; reason: string }

/** A piece of an imported file that passed the governance check, with its entry, if any. */
export type ClearedPiece = { text: Cleared; segment?: Segment }

/** Checks an imported file against governance: entry by entry if it contains entries, otherwise as a whole. */
export function clearFile(path: string, text: string, roster: Roster): { pieces: ClearedPiece[]; refused: Refusal[] } {
  const name = clearText(path)
  if (name.kind === "refused") return { pieces: [], refused: [{ path: "a file's name", line: 1, reason: name.reason }] }
  if (path.endsWith(".json")) return clearJson(path, text)
  if (!isEntryFile(path)) return clearWhole(path, text)
  const pieces: ClearedPiece[] = []
  const refused: Refusal[] = []
  for (const segment of readEntries(text, contextAt(path, roster)).segments) {
    const clearing = clearText(segment.text)
    if (clearing.kind === "cleared") pieces.push({ text: clearing.text, segment })
    else {
      const id = segment.entry === undefined ? {} : { id: segment.entry.id }
      refused.push({ path, line: segment.line + clearing.line - 1, ...id, reason: clearing.reason })
    }
  }
  return { pieces, refused }
}

export function isEntryFile(path: string): boolean {
  return /^decisions.*\.md$|\/history[^/]*\.md$/i.test(path)
}

function clearWhole(path: string, text: string): { pieces: ClearedPiece[]; refused: Refusal[] } {
  const clearing = clearText(text)
  if (clearing.kind === "cleared") return { pieces: [{ text: clearing.text }], refused: [] }
  return { pieces: [], refused: [{ path, line: clearing.line, reason: clearing.reason }] }
}

/** In a list such as the index, each record is checked separately. */
function clearJson(path: string, text: string): { pieces: ClearedPiece[]; refused: Refusal[] } {
  const value: unknown = JSON.parse(text)
  if (!Array.isArray(value)) return clearWhole(path, text)
  const refused: Refusal[] = []
  const kept = value.filter((record) => {
    const clearing = clearText(writeJson(record), "reject")
    if (clearing.kind === "refused") refused.push({ path, line: 1, ...idOf(record), reason: clearing.reason })
    return clearing.kind === "cleared"
  })
  return { pieces: [{ text: generated(writeJson(kept)) }], refused }
}

function idOf(record: unknown): { id?: string } {
  const id = typeof record === "object" && record !== null && "id" in record ? record.id : undefined
  return typeof id === "string" ? { id } : {}
}
