import { foldText } from "../../formats/matches-query.ts"
import type { QueryTerm } from "../../formats/query.ts"

/**
 * Scores a text against query terms: 0 if a term is missing or an excluded one occurs. Words match in any order and as
 * prefixes; a quoted phrase is one term. A hit in the title counts three times.
 */
export function scoreTerms(terms: readonly QueryTerm[], title: string, body: string): number {
  const foldedTitle = foldText(title)
  const foldedBody = foldText(body)
  let score = 1
  for (const { text, negated } of terms) {
    const term = foldText(text)
    const hits = 3 * countStarts(foldedTitle, term) + Math.min(5, countStarts(foldedBody, term))
    if (hits > 0 === negated) return 0
    score += negated ? 0 : hits
  }
  return score
}

/** The line that matched, at most 240 characters. */
export function snippetOf(terms: readonly QueryTerm[], body: string, fallback: string): string {
  const wanted = terms.filter(({ negated }) => !negated).map(({ text }) => foldText(text))
  const lines = body.split(/\r?\n/).filter((line) => line.trim() !== "")
  const hits = lines.map((line) => wanted.filter((term) => countStarts(foldText(line), term) > 0).length)
  const best = lines[hits.indexOf(Math.max(...hits))]
  return (best ?? fallback).trim().slice(0, 240)
}

/** How often a term occurs at the start of a word. */
function countStarts(text: string, term: string): number {
  if (term === "") return 1
  let count = 0
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + term.length)) {
    if (at === 0 || !isWordPart(text.charAt(at - 1)) || !isWordPart(term.charAt(0))) count++
  }
  return count
}

function isWordPart(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character)
}
