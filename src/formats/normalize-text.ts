/** The same for texts that differ in case, punctuation and white space only. */
export function normalizeText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}+#]+/gu, " ")
    .trim()
}

/** Words that say nothing by themselves. */
export const fillers = new Set(
  "a an and any are as at be by do does for from have in is it its of on or run so that the their then this to use uses using with you your".split(
    " ",
  ),
)

/** The words that say something, once each. */
export function tellingWords(text: string): Set<string> {
  return new Set(
    normalizeText(text)
      .split(" ")
      .filter((word) => word !== "" && !fillers.has(word)),
  )
}

/** How many of their words two texts share: 1 for the same words, 0 for none in common. */
export function overlapOf(one: string, other: string): number {
  const [words, others] = [tellingWords(one), tellingWords(other)]
  if (words.size === 0 || others.size === 0) return 0
  let shared = 0
  for (const word of words) shared += Number(others.has(word))
  return shared / Math.sqrt(words.size * others.size)
}
