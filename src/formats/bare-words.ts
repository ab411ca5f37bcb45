/** The same for sentences that differ in case, punctuation and white space only. */
export function bareWords(sentence: string): string {
  return sentence
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
}
