/**
 * What people say to an agent in one language, as pieces of regular expressions in lower case.
 * The lists are tried one beside the other, in whatever language a message is. Signals that need no words work without them.
 */
export type Language = {
  /** Words are set apart by spaces, so that a piece has to stand for whole words. */
  spaced: boolean
  frustration: Record<"severe" | "moderate" | "mild", string[]>
  /** Says that it works, or thanks for it: anywhere, or only at the beginning. */
  accepts: { anywhere: string[]; first: string[] }
  /** Shortly before words of acceptance, these take them back: "not", "how", "if". */
  hedges: string[]
  /** What may stand before the word that matters: "ok", "well", "please". */
  fillers: string[]
  /** How messages begin. */
  openers: Record<"correction" | "new task" | "continuation", string[]>
  /** Openers of a new task that leave no doubt: "different topic". */
  announcements: string[]
  /** A plain "no", which after a question is an answer. */
  refusals: string[]
  /** How a wish begins that is put as a question. */
  requests: string[]
  /** How a sentence begins that states a lasting rule. */
  statements: Record<"always" | "never" | "preference" | "fact" | "remember", string[]>
  /** What limits a sentence to the moment, so that it is no lasting rule. */
  passing: string[]
}
