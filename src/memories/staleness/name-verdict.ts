import { quoteInline } from "../../formats/text.ts"
import type { Name } from "./names.ts"

/** Whether the named thing still exists. `day` is the day of the commit; undefined: not committed yet. */
export type NameVerdict =
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
export type JudgedName = { kind: Name["kind"]; text: string; path?: string; verdict: NameVerdict; words: string }

/** A remembered item with the verdicts on all its names. */
export type JudgedItem = { id: string; names: JudgedName[] }

/** The author already knew that it was changing. */
export const announcedChange: NameVerdict = { state: "unverifiable", reason: "its own sentence mentions a change" }

const longestName = 80

/**
 * A verdict as a clause: "`src/old.ts` is gone since 2026-03-02". Names and paths are quoted so that they cannot be
 * read as text.
 */
export function describeVerdict({ kind, text }: Pick<Name, "kind" | "text">, verdict: NameVerdict): string {
  const name = inCode(text)
  switch (verdict.state) {
    case "valid":
      return `${name} exists`
    case "moved":
      return `${name} moved to ${inCode(verdict.to)}${verdict.day === undefined ? ", not committed yet" : ` on ${verdict.day}`}`
    case "changed":
      return `${name} has only ${verdict.kept} of its ${verdict.lines} lines of ${verdict.day}`
    case "gone": {
      if (!("last" in verdict))
        return `${name} is gone${verdict.day === undefined ? ", not committed yet" : ` since ${verdict.day}`}`
      const { path, day } = verdict.last
      const lost = kind === "command" ? "is no longer defined" : "is no longer in any source file"
      return `${name} ${lost}; ${inCode(path)} had it on ${day}`
    }
    case "unverifiable":
      return `${name} cannot be checked: ${verdict.reason}`
  }
}

function inCode(name: string): string {
  const plain = quoteInline(name).replaceAll("`", "'")
  return `\`${plain.length <= longestName ? plain : `…${plain.slice(1 - longestName)}`}\``
}
