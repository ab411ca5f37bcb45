import type { Name } from "./name.ts"

/** Whether the named thing still exists. `day` is the day of the commit; undefined: not committed yet. */
export type Verdict =
  | { state: "valid" }
  | { state: "moved"; to: string; day: string | undefined }
  /** Only a hint: this many of the file's lines of that day are left. */
  | { state: "changed"; kept: number; lines: number; day: string }
  | { state: "gone"; day: string | undefined }
  /** A word or target that a file had on that day, and no file has now. */
  | { state: "gone"; last: { path: string; day: string } }
  | { state: "unverifiable"; reason: string }

export const states = ["gone", "moved", "changed", "valid", "unverifiable"] as const
export type State = (typeof states)[number]

/** `path` is that of a file or folder, relative to the root; `words` is the verdict as text. */
export type JudgedName = { kind: Name["kind"]; text: string; path?: string; verdict: Verdict; words: string }

/** A remembered item with the verdicts on all its names. */
export type JudgedItem = { id: string; names: JudgedName[] }

/** The author already knew that it was changing. */
export const toldByItself: Verdict = { state: "unverifiable", reason: "its own sentence mentions a change" }
