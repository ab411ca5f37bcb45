import type { StoredItem } from "../../src/index/index-store.ts"
import { cutPassages } from "../../src/index/passages.ts"
import { summaryOf } from "../../src/recall/context/context-text.ts"
import type { Document, Query } from "./data.ts"
import { toItem } from "./drey-store.ts"
import type { Vectors } from "./vectors.ts"

/**
 * Which of a query's evidence a context shows: the summary of the document, or its passage that is nearest to the query by MiniLM, is in
 * the text, whole or nearly so; or only the passage. An id or a title alone does not count, unless the document is nothing but its title.
 */
export async function evidenceShown(
  context: string,
  query: Query,
  documents: readonly Document[],
  vectors: Vectors,
  onlyPassages = false,
): Promise<string[]> {
  const words = ` ${wordsOf(context).join(" ")} `
  const shown: string[] = []
  for (const document of documents.filter(({ id }) => query.relevant.includes(id))) {
    const summary = document.text.trim() === "" ? document.title : summaryOf(toItem(document) as StoredItem)
    if (
      (!onlyPassages && holdsMostOf(words, summary)) ||
      holdsMostOf(words, await nearestPassage(document, query, vectors))
    )
      shown.push(document.id)
  }
  return shown
}

async function nearestPassage(document: Document, query: Query, vectors: Vectors): Promise<string> {
  const passages = cutPassages("", document.text)
  const [wanted, ...found] = await vectors.of([query.text, ...cutPassages(document.title, document.text)])
  const nearness = found.map((vector) => vector.reduce((sum, value, at) => sum + value * (wanted?.[at] ?? 0), 0))
  return passages[nearness.indexOf(Math.max(...nearness))] ?? ""
}

/** Whether at least half of a text's pieces of four words are there. */
function holdsMostOf(words: string, text: string): boolean {
  const own = wordsOf(text)
  const length = Math.min(4, own.length)
  if (length === 0) return false
  const pieces = own.slice(0, own.length - length + 1).map((_, at) => own.slice(at, at + length).join(" "))
  return pieces.filter((piece) => words.includes(` ${piece} `)).length * 2 >= pieces.length
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
