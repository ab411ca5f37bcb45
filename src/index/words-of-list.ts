import { hashTerm } from "./hash-term.ts"
import { countsIn, type TermList } from "./term-list.ts"
import { tokenize } from "./tokenize.ts"

/** Words that announce a change to an earlier decision, as the tokenizer returns them. */
const amendingWords = tokenize("amend revise supersede overrule reverse revert rescind formerly hitherto so far").map(
  hashTerm,
)

export function saysItAmends(list: TermList): boolean {
  return amendingWords.some((word) => countsIn(list, word) !== undefined)
}

/** The hashes of the words in the title, whose count is in the lowest three bits. */
export function titleWordsIn({ hashes, packed }: TermList): Set<number> {
  const words = new Set<number>()
  for (let at = 0; at < hashes.length; at++) if (((packed[at] as number) & 7) !== 0) words.add(hashes[at] as number)
  return words
}
