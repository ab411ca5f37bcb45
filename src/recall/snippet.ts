import { tokenize } from "../index/tokenize.ts"

/** The part of a text that matched; highlights are offsets into it. */
export type Snippet = { text: string; highlights: { start: number; end: number }[] }

const longest = 240
const searched = 20_000
const word = /[\p{L}\p{N}_#][\p{L}\p{N}_./#+-]*/gu

/** The window with most of the query's words, on one line. Words are compared by stem, as in the index. */
export function makeSnippet(text: string, query: string): Snippet {
  const wanted = new Set(tokenize(query))
  const flat = text.slice(0, searched).replace(/\s+/g, " ").trim()
  const hits = [...flat.matchAll(word)].flatMap((match) => {
    const found = match[0].replace(/[./-]+$/, "") // drops punctuation after the last word
    const token = tokenize(found).find((each) => wanted.has(each))
    return token === undefined ? [] : [{ token, start: match.index, end: match.index + found.length }]
  })
  const from = startOfBest(hits, flat)
  const end = flat.length <= from + longest ? flat.length : endOfWord(flat, from + longest)
  const lead = from > 0 ? "… " : ""
  return {
    text: `${lead}${flat.slice(from, end)}${end < flat.length ? " …" : ""}`,
    highlights: hits
      .filter((hit) => hit.start >= from && hit.end <= end)
      .map((hit) => ({ start: hit.start - from + lead.length, end: hit.end - from + lead.length })),
  }
}

type Hit = { token: string; start: number; end: number }

/** The start of the window with the most distinct words, with a few words of context. */
function startOfBest(hits: readonly Hit[], text: string): number {
  let best = 0
  let start = 0
  for (const [index, first] of hits.entries()) {
    const tokens = new Set<string>()
    for (let at = index; at < hits.length; at++) {
      const hit = hits[at]
      if (!hit || hit.end - first.start > longest) break
      tokens.add(hit.token)
    }
    if (tokens.size <= best) continue
    best = tokens.size
    start = first.start
  }
  if (start < longest / 2) return 0
  return text.indexOf(" ", start - 40) + 1
}

function endOfWord(text: string, near: number): number {
  const space = text.lastIndexOf(" ", near)
  return space > near - 40 ? space : near
}
