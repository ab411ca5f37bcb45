import type { Entry } from "../formats/entry.ts"
import { type LoadGuidance, readLoadGuidance } from "../governance/classify.ts"

/** When an entry is to be loaded by its own mark, `**loadGuidance:** [ALWAYS]`; undefined: as its class says. */
export function markedGuidance({ extensions }: Entry): LoadGuidance | undefined {
  return readLoadGuidance(extensions.find(({ name }) => /^loadGuidance$/i.test(name))?.value)
}

/** Whether an entry is binding for all work: a directive, a policy, or what is marked to be loaded always. */
export function isRuleEntry(entry: Entry): boolean {
  return entry.type === "directive" || isPolicy(entry) || markedGuidance(entry) === "ALWAYS"
}

export function isPolicy({ extensions }: Entry): boolean {
  return extensions.some(({ name, value }) => /^class$/i.test(name) && /^policy$/i.test(value.trim()))
}
