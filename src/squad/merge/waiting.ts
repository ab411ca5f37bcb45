import { differenceOf, hasNegation } from "../../formats/difference-of.ts"
import type { Entry } from "../../formats/entry.ts"
import { overlapOf } from "../../formats/normalize-text.ts"
import { isRuleEntry, markedGuidance } from "../load-guidance.ts"

/** An active entry that a proposal is compared with. */
export type Active = { id: string; entry: Entry }

/**
 * Why a proposal needs review by the user; undefined for entries that agents may add by themselves. `replaced` are the ids
 * of the entries that it supersedes.
 */
export function reasonToWait(
  entry: Entry,
  active: readonly Active[],
  replaced: ReadonlySet<string>,
): string | undefined {
  if (entry.review !== undefined) return entry.review
  if (markedGuidance(entry) === "ALWAYS") return "it is marked [ALWAYS], which makes it a rule"
  if (isRuleEntry(entry)) return "it is a rule"
  const origin = entry.extensions.find(({ name }) => name.toLowerCase() === "origin")?.value
  if (origin === "learned") return "it is a learned memory proposed to the team"
  if (origin !== undefined) return `it is imported (${origin})`
  const rule = active.find((each) => replaced.has(each.id) && isRuleEntry(each.entry))
  if (rule) return `it replaces the rule "${rule.entry.title}"`
  const opposite = active.find((each) => !replaced.has(each.id) && contradicts(entry, each.entry))
  return opposite && `it contradicts "${opposite.entry.title}"`
}

/** The share of common words above which two sentences have the same subject. */
const sameSubject = 0.6
const longestSentence = 200

/** One affirms what the other denies, in nearly the same words. Paraphrases are not recognized. */
function contradicts(one: Entry, other: Entry): boolean {
  return sentencesOf(one).some((sentence) =>
    sentencesOf(other).some(
      (opposite) =>
        (hasNegation(sentence) || hasNegation(opposite)) &&
        overlapOf(sentence, opposite) >= sameSubject &&
        differenceOf(sentence, opposite).contradicts,
    ),
  )
}

function sentencesOf({ title, summary }: Entry): string[] {
  return [title, summary].map((text) => text.slice(0, longestSentence))
}
