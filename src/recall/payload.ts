import type { ReadEntry } from "../formats/read-entries.ts"

/** What a face shows of an item beside what the index knows. */
export type ItemPayload =
  | { kind: "entry"; read: ReadEntry }
  | { kind: "skill"; description: string; body: string }
  | { kind: "note" }

export function writePayload(payload: ItemPayload): string {
  return JSON.stringify(payload)
}

export function readPayload(text: string): ItemPayload {
  return JSON.parse(text) // the index is ours: what it holds was written by the function above
}
