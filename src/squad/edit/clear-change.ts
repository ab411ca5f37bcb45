import { type Cleared, clearText } from "../../governance/cleared.ts"
import { detectForbidden } from "../../governance/detect-forbidden.ts"
import { readMemoryConfig } from "../memory/memory-config.ts"
import type { EntryDesk } from "./find-entry.ts"

type Texts = Record<string, string | undefined>

export type ClearedChange<Given extends Texts> =
  | { kind: "cleared"; texts: { [Name in keyof Given]: Given[Name] extends string ? Cleared : Cleared | undefined } }
  | { kind: "refused"; reason: string }

/** What a person wrote, through the gate: each text by itself, refused with the name of the rule and of the field. */
export function clearChange<Given extends Texts>({ context }: EntryDesk, given: Given): ClearedChange<Given> {
  const { personalData } = readMemoryConfig(context.folder).config
  const cleared: Record<string, Cleared | undefined> = {}
  for (const [name, text] of Object.entries(given)) {
    const clearing = text === undefined ? undefined : clearText(text, personalData)
    if (clearing?.kind === "refused") {
      const rule = detectForbidden(text ?? "")[0]?.rule
      const reason = `the ${name} holds what no memory may hold: ${clearing.reason}${rule ? ` (${rule})` : ""}`
      return { kind: "refused", reason }
    }
    cleared[name] = clearing?.text
  }
  return { kind: "cleared", texts: cleared } as ClearedChange<Given> // by name just what was given
}
