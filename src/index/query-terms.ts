import type { Database } from "../disk/sqlite.ts"
import { hashTerm } from "./hash-term.ts"
import type { QueryTerm } from "./index-store.ts"
import { tokenize } from "./tokenize.ts"

/** `weight` is its idf, and more for a word that the text repeats. */
export type HashedTerm = QueryTerm & { hash: number; weight: number }

/** The distinct words of a text with how rare they are among so many items, rarest first. */
export function queryTerms(database: Database, text: string, items: number): HashedTerm[] {
  const tokens = tokenize(text)
  const hashes = new Map(tokens.map((term) => [term, hashTerm(term)]))
  const times = new Map<string, number>()
  for (const term of tokens) times.set(term, (times.get(term) ?? 0) + 1)
  const counted = database.prepare<{ hash: number; documents: number }>(
    "SELECT hash, documents FROM terms WHERE hash IN (SELECT value FROM json_each(?))",
  )
  const documentsOf = new Map(counted.all(JSON.stringify([...hashes.values()])).map((row) => [row.hash, row.documents]))
  const terms = [...hashes].map(([term, hash]) => {
    const documents = documentsOf.get(hash) ?? 0
    const idf = Math.log(1 + (items - documents + 0.5) / (documents + 0.5))
    return { term, hash, documents, idf, weight: idf * Math.sqrt(times.get(term) ?? 1) }
  })
  return terms.sort((one, other) => one.documents - other.documents || (one.term < other.term ? -1 : 1))
}

const mostTerms = 12

/**
 * The words worth searching with: the rarest that occur at all, as long as the lists of items to go through stay short. Whoever
 * holds only the common rest would not come near the top; for whom the rare ones find, the rest counts in the score again.
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
