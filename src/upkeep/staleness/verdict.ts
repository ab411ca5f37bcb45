import type { Name } from "./name.ts"

/** Whether what a name means is still there. `day` is that of the commit; undefined: it is not committed yet. */
export type Verdict =
  | { state: "valid" }
  | { state: "moved"; to: string; day: string | undefined }
  /** Only a hint: of the lines that the file had on that day so many are left. */
  | { state: "changed"; kept: number; lines: number; day: string }
  | { state: "gone"; day: string | undefined }
  /** A word or a target that a file held on that day, and none does now. */
  | { state: "gone"; last: { path: string; day: string } }
  | { state: "unverifiable"; reason: string }

export const states = ["gone", "moved", "changed", "valid", "unverifiable"] as const
export type State = (typeof states)[number]

/** `path` is that of a file or folder, as it is meant from the root; `words` say the verdict. */
export type JudgedName = { kind: Name["kind"]; text: string; path?: string; verdict: Verdict; words: string }

/** Something remembered, with what became of all that it names. */
export type JudgedItem = { id: string; names: JudgedName[] }

/** What is not there for its author either. */
export const toldByItself: Verdict = { state: "unverifiable", reason: "its own sentence speaks of a change" }
