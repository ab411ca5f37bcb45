import type { Database } from "../disk/sqlite.ts"
import { completeWord } from "./complete-word.ts"
import { hashTerm } from "./hash-term.ts"
import type { QueryTerm } from "./index-store.ts"
import { tokenize } from "./tokenize.ts"

/** `weight` is its idf, and more for a word that the text repeats. */
export type HashedTerm = QueryTerm & { hash: number; weight: number }

/** The weight of a word guessed from its beginning. */
const guessed = 0.5

/**
 * The distinct words of a text with their rarity among this many items, rarest first. With `complete`, an unknown word
 * is replaced by the words that it may be the beginning of.
 */
export function queryTerms(database: Database, text: string, items: number, complete = false): HashedTerm[] {
  const tokens = tokenize(text)
  const hashes = new Map(tokens.map((term) => [term, hashTerm(term)]))
  const times = new Map<string, number>()
  for (const term of tokens) times.set(term, (times.get(term) ?? 0) + 1)
  const counted = database.prepare<{ hash: number; documents: number }>(
    "SELECT hash, documents FROM terms WHERE hash IN (SELECT value FROM json_each(?))",
  )
  const documentsOf = new Map(counted.all(JSON.stringify([...hashes.values()])).map((row) => [row.hash, row.documents]))
  const weigh = (term: string, hash: number, documents: number, share = 1) => {
    const idf = share * Math.log(1 + (items - documents + 0.5) / (documents + 0.5))
    return { term, hash, documents, idf, weight: idf * Math.sqrt(times.get(term) ?? 1) }
  }
  const terms = [...hashes].flatMap(([term, hash]) => {
    const documents = documentsOf.get(hash) ?? 0
    const completed =
      complete && documents === 0 ? completeWord(database, term).filter((one) => !hashes.has(one.term)) : []
    if (completed.length === 0) return [weigh(term, hash, documents)]
    return completed.map((one) => weigh(one.term, one.hash, one.documents, guessed))
  })
  return terms.sort((one, other) => one.documents - other.documents || (one.term < other.term ? -1 : 1))
}

const mostTerms = 12

/**
 * The words worth searching: the rarest that occur at all, as long as their item lists are short. An item with only the
 * common words would not rank near the top; for items found by the rare words, the common ones count in the score
 * again.
 */
export function searchTerms(terms: HashedTerm[], items: number): HashedTerm[] {
  const budget = Math.max(4000, items * 0.15)
  const chosen: HashedTerm[] = []
  let toRead = 0
  for (const term of terms) {
    if (term.documents === 0) continue
    toRead += term.documents
    if (chosen.length >= mostTerms || (chosen.length > 0 && toRead > budget)) break
    chosen.push(term)
  }
  return chosen
}
