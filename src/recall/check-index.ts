import { existsSync } from "node:fs"
import type { Check } from "../squad/doctor/check.ts"
import { indexPlaceOf } from "./index-place.ts"
import { openRecall, type RecallOptions } from "./open-recall.ts"
import { search } from "./search.ts"

/** Checks the search index of a checkout; a missing index is fine, since the first query builds it. */
export async function checkIndex(options: RecallOptions): Promise<Check[]> {
  const [folder] = options.store.folders
  if (!folder) return []
  const name = "search index"
  if (!existsSync(indexPlaceOf(options.home, folder.path).index))
    return [{ name, status: "pass", message: "It is built on the first search." }]
  const told: string[] = []
  const recall = await openRecall({ ...options, warn: (message) => told.push(message) })
  try {
    const { answer } = await recall.ask(
      async (parts) => {
        await search(parts, { query: { filters: [], terms: [{ text: "decision", negated: false }] }, all: true }) // damage only shows in use
        return recall.index.stats()
      },
      { sessions: true },
    )
    const { items, vectors } = answer
    const known = `${items} items, ${vectors.static.items} with a static vector, ${vectors.minilm.items} with a transformer vector.`
    return [{ name, status: told.length > 0 ? "warn" : "pass", message: [known, ...told].join(" ") }]
  } finally {
    await recall.close()
  }
}
