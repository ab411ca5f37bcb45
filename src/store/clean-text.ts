import { dropUnseen } from "../formats/drop-unseen.ts"
import { type Cleared, clearText, generated } from "../governance/cleared.ts"

const longestText = 300

/** One line without what nobody sees, as long as a memory may be; "" when nothing is left. */
export function cleanText(text: string): string {
  const line = dropUnseen(text).replace(/\s+/g, " ").trim()
  const redacted = clearText(line) // before it is cut: half an address would not be recognised
  const points = [...(redacted.kind === "cleared" ? redacted.text : line)]
  return points.length <= longestText
    ? points.join("")
    : `${points
        .slice(0, longestText - 1)
        .join("")
        .trimEnd()}…`
}

/** A reason or a quote as it may be stored. */
export function clearNote(text: string): Cleared {
  const cleared = clearText(cleanText(text))
  return cleared.kind === "cleared" ? cleared.text : generated("[withheld]")
}
