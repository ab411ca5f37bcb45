import { cleanMemoryText, clip, longestMemory, toOneLine } from "../formats/memory-text.ts"
import { type Cleared, type Clearing, clearText, generated } from "../governance/cleared.ts"

/** A memory's text through the gate, and as it may be kept. Before it is cut: half an address would not be recognised. */
export function clearMemoryText(text: string): Clearing {
  const whole = clearLines(text)
  return whole.kind === "refused" ? whole : clearText(cleanMemoryText(whole.text))
}

/** A reason or a quote as it may be stored. */
export function clearNote(text: string): Cleared {
  const whole = clearLines(text)
  const cut = whole.kind === "refused" ? whole : clearText(clip(whole.text, longestMemory))
  return cut.kind === "cleared" ? cut.text : generated("[withheld]")
}

/** On one line, and before: a secret that is broken over lines is not one run of characters any more when they are joined by spaces. */
function clearLines(text: string): Clearing {
  const written = clearText(text, "allow")
  return written.kind === "refused" ? written : clearText(toOneLine(text))
}

/** A key or a path through the gate: nothing can be taken out of a name, so it passes whole or not at all. */
export function clearName(name: string | undefined): Cleared | undefined {
  const cleared = clearText(name ?? "", "reject")
  return cleared.kind === "cleared" && cleared.text !== "" ? cleared.text : undefined
}
