import { ownWords } from "../../episodes/words/own-words.ts"
import { findStatements, type StatementKind } from "../../episodes/words/statements.ts"
import { sentencesOf } from "./sentences-of.ts"
import { type StatedRule, stateRule } from "./state-rule.ts"

export type FoundRule = StatedRule & {
  kind: StatementKind
  /** In the user's words. */
  words: string
}

/** The rules stated in a user's message, each as written and as a self-contained rule. */
export function findStatedRules(message: string): FoundRule[] {
  return findStatements(ownWords(message)).flatMap(({ kind, start, end }) => {
    const found = sentencesOf(message.slice(start, end)).flatMap((words) => {
      const rule = stateRule(words, kind)
      return rule === undefined ? [] : [{ ...rule, kind, words }]
    })
    return found.slice(0, 1)
  })
}
