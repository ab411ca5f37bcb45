import { quoteInline } from "../../formats/quote.ts"
import type { Name } from "./name.ts"
import type { Verdict } from "./verdict.ts"

const longestName = 80

/**
 * A verdict as a clause: "`src/old.ts` is gone since 2026-03-02". Names and paths are quoted so that they cannot be
 * read as text.
 */
export function describeVerdict({ kind, text }: Pick<Name, "kind" | "text">, verdict: Verdict): string {
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
