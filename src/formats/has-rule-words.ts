/** Whether a text has the words with which people set rules for all work to come. Many that have them set none. */
export function hasRuleWords(text: string): boolean {
  return /\b(?:always|never|henceforth|going forward|from (?:now|here|today|this point) (?:on|onwards?|forward))\b/i.test(
    text,
  )
}
