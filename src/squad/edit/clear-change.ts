import { type Cleared, clearText } from "../../governance/cleared.ts"
import { detectForbidden } from "../../governance/detect-forbidden.ts"
import { readMemoryConfig } from "../memory/memory-config.ts"
import type { EntryDesk } from "./find-entry.ts"

type Texts = Record<string, string | undefined>

export type ClearedChange<Given extends Texts> =
  | { kind: "cleared"; texts: { [Name in keyof Given]: Given[Name] extends string ? Cleared : Cleared | undefined } }
  | { kind: "refused"; reason: string }

/** Checks the user's texts one by one against governance; a rejection names the rule and the field. */
export function clearChange<Given extends Texts>({ context }: EntryDesk, given: Given): ClearedChange<Given> {
  const { personalData } = readMemoryConfig(context.folder).config
  const cleared: Record<string, Cleared | undefined> = {}
  for (const [name, text] of Object.entries(given)) {
    const clearing = text === undefined ? undefined : clearText(text, personalData)
    if (clearing?.kind === "refused") {
      const rule = detectForbidden(text ?? "")[0]?.rule
      const reason = `the ${name} contains forbidden content: ${clearing.reason}${rule ? ` (${rule})` : ""}`
      return { kind: "refused", reason }
    }
    cleared[name] = clearing?.text
  }
  return { kind: "cleared", texts: cleared } as ClearedChange<Given> // same keys as given
}
