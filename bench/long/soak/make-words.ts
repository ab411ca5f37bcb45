import { seeded } from "../../../test/seeded.ts"
import { makeVocabulary } from "../../recall-speed/made-vocabulary.ts"

/** Sentences that have little in common, each with a word of its own by which it is found again. */
export function makeWords(seed: number): {
  next(writer: string): { word: string; sentence: string }
  pick<Item>(items: readonly Item[]): Item
  random: () => number
} {
  const random = seeded(seed)
  const { nouns, verbs, qualities } = makeVocabulary(seeded(seed))
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  let number = 0
  return {
    next(writer) {
      const word = `${writer}-item-${++number}`
      const part = () => `${pick(verbs)} the ${pick(qualities)} ${pick(nouns)}`
      return { word, sentence: `${word} ${part()} and ${part()} before the ${pick(nouns)} of the ${pick(nouns)}` }
    },
    pick,
    random,
  }
}
