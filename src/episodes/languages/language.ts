/**
 * Phrases of one language as pieces of regular expressions in lower case. The lists of all languages are matched
 * together. Signals without words work in any language.
 */
export type Language = {
  /** Words are separated by spaces, so that a phrase must match whole words. */
  spaced: boolean
  frustration: Record<"severe" | "moderate" | "mild", string[]>
  /** Says that it works, or thanks for it: anywhere, or only at the beginning. */
  accepts: { anywhere: string[]; first: string[] }
  /** Cancel acceptance if shortly before it: "not", "how", "if". */
  hedges: string[]
  /** Words that may precede the one that matters: "ok", "well", "please". */
  fillers: string[]
  /** Beginnings of messages. */
  openers: Record<"correction" | "new task" | "continuation", string[]>
  /** Unambiguous openers of a new task: "different topic". */
  announcements: string[]
  /** A plain "no", which is an answer after a question. */
  refusals: string[]
  /** Beginnings of a request in the form of a question. */
  requests: string[]
  /** Beginnings of a sentence that states a lasting rule. */
  statements: Record<"always" | "never" | "preference" | "fact" | "remember", string[]>
  /** Limits a sentence to the moment, so that it is not a lasting rule. */
  passing: string[]
}
