import type { Database } from "../disk/sqlite.ts"
import { hashTerm } from "./hash-term.ts"
import { stem } from "./stem.ts"

const shortestPrefix = 3
const mostCompletions = 5
const mostLookedAt = 200

/** Words of the index that an unknown word may be the beginning of, the most common first. */
export function completeWord(database: Database, word: string): { term: string; hash: number; documents: number }[] {
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
