import { typedBetween } from "./between-tags.ts"

/** The user's own text: the content of `<user_query>`, or a whole text without wrappers. */
export function cursorWords(text: string): { words: string; isWrapped: boolean } {
  const typed = typedBetween(text, "user_query")
  if (typed !== undefined) return { words: typed, isWrapped: true }
  const isClients = /^\s{0,20}<[a-z][a-z_-]{1,60}>/.test(text) // files, rules or notices without any text of the user
  return { words: isClients ? "" : text, isWrapped: isClients }
}
