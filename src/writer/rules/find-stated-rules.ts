import { ownWords } from "../../episodes/words/own-words.ts"
import { findStatements, type StatementKind } from "../../episodes/words/statements.ts"
import { sentencesOf } from "./sentences-of.ts"
import { type StatedRule, stateRule } from "./state-rule.ts"

export type FoundRule = StatedRule & {
  kind: StatementKind
  /** As the person said it. */
  words: string
}

/** The rules that a person's message states, each in their words and as one that reads by itself. */
export function findStatedRules(message: string): FoundRule[] {
  return findStatements(ownWords(message)).flatMap(({ kind, start, end }) => {
    const found = sentencesOf(message.slice(start, end)).flatMap((words) => {
      const rule = stateRule(words, kind)
      return rule === undefined ? [] : [{ ...rule, kind, words }]
    })
    return found.slice(0, 1)
  })
}
