import type { Database } from "../disk/sqlite.ts"
import type { IndexQueryTerm } from "./index-store.ts"
import { stem } from "./stemmer.ts"
import { hashTerm } from "./term-hash.ts"
import { tokenize } from "./tokenizer.ts"

/** `weight` is its idf, and more for a word that the text repeats. */
export type HashedTerm = IndexQueryTerm & { hash: number; weight: number }

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

const shortestPrefix = 3
const mostCompletions = 5
const mostLookedAt = 200

/** Words of the index that an unknown word may be the beginning of, the most common first. */
function completeWord(database: Database, word: string): { term: string; hash: number; documents: number }[] {
  if (word.length < shortestPrefix) return []
  database.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')")
  const longer = database
    .prepare<{ term: string }>("SELECT term FROM vocabulary WHERE term > ? AND term < ? LIMIT ?")
    .all(word, `${word}\u{10ffff}`, mostLookedAt)
  const terms = new Set([...longer.map(({ term }) => term), ...stemsBegunBy(word)])
  const hashes = new Map([...terms].map((term) => [hashTerm(term), term]))
  return database
    .prepare<{ hash: number; documents: number }>(
      `SELECT hash, documents FROM terms WHERE hash IN (SELECT value FROM json_each(?)) ORDER BY documents DESC, hash LIMIT ${mostCompletions}`,
    )
    .all(JSON.stringify([...hashes.keys()]))
    .map(({ hash, documents }) => ({ term: hashes.get(hash) ?? "", hash, documents }))
}

const endings = "ization ize icate ication ation ational ate ator ion ive able ment ness ality ing ed".split(" ")

/**
 * A word may break off within a suffix that its stem has lost: "normaliz" begins "normalize", which is indexed as
 * "normal".
 */
function stemsBegunBy(word: string): string[] {
  if (!/^[a-z]+$/.test(word)) return []
  return endings.flatMap((ending) =>
    Array.from(ending, (_, at) => ending.slice(0, at + 1))
      .filter((begun) => word.endsWith(begun))
      .map((begun) => stem(word + ending.slice(begun.length))),
  )
}
