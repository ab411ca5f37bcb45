import { typedBetween } from "./between-tags.ts"

/** A person's own words: what stands in `<user_query>`, or all of a text that the client wrapped nothing around. */
export function cursorWords(text: string): { words: string; isWrapped: boolean } {
  const typed = typedBetween(text, "user_query")
  if (typed !== undefined) return { words: typed, isWrapped: true }
  const isClients = /^\s{0,20}<[a-z][a-z_-]{1,60}>/.test(text) // files, rules or notices without a word of the person
  return { words: isClients ? "" : text, isWrapped: isClients }
}
