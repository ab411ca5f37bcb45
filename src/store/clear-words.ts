import { cleanMemoryText, clip, longestMemory, toOneLine } from "../formats/memory-text.ts"
import { type Cleared, type Clearing, clearText, generated } from "../governance/cleared.ts"

/** Checks and normalizes a memory's text. The check runs before truncation: half an address would not be recognised. */
export function clearMemoryText(text: string): Clearing {
  const whole = clearLines(text)
  return whole.kind === "refused" ? whole : clearText(cleanMemoryText(whole.text))
}

/** A reason or a quote, redacted for storage. */
export function clearNote(text: string): Cleared {
  const whole = clearLines(text)
  const cut = whole.kind === "refused" ? whole : clearText(clip(whole.text, longestMemory))
  return cut.kind === "cleared" ? cut.text : generated("[withheld]")
}

/**
 * Checked both joined and as written: a secret split over lines is no longer one run of characters once joined by
 * spaces.
 */
function clearLines(text: string): Clearing {
  const written = clearText(text, "allow")
  return written.kind === "refused" ? written : clearText(toOneLine(text))
}

/** Checks a key or a path. A name cannot be redacted, so it is accepted whole or not at all. */
export function clearName(name: string | undefined): Cleared | undefined {
  const cleared = clearText(name ?? "", "reject")
  return cleared.kind === "cleared" && cleared.text !== "" ? cleared.text : undefined
}
