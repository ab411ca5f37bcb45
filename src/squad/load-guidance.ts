import type { Entry } from "../formats/entry.ts"
import { type LoadGuidance, readLoadGuidance } from "../governance/classify.ts"

/** The load guidance marked in the entry, such as `**loadGuidance:** [ALWAYS]`; undefined if its class decides. */
export function markedGuidance({ extensions }: Entry): LoadGuidance | undefined {
  return readLoadGuidance(extensions.find(({ name }) => /^loadGuidance$/i.test(name))?.value)
}

/** Whether an entry is a binding rule: a directive, a policy, or an entry marked ALWAYS. */
export function isRuleEntry(entry: Entry): boolean {
  return entry.type === "directive" || isPolicy(entry) || markedGuidance(entry) === "ALWAYS"
}

export function isPolicy({ extensions }: Entry): boolean {
  return extensions.some(({ name, value }) => /^class$/i.test(name) && /^policy$/i.test(value.trim()))
}
