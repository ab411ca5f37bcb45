import type { Embedder } from "../../src/index/embedders/embedder.ts"
import type { FoundCandidates } from "../../src/index/index-store.ts"
import { fewProposals } from "../../src/recall/search/ranking.ts"
import type { Query, Split, Store } from "./data.ts"
import { openDeep, openTable } from "./drey-arms.ts"
import { openDreyStore } from "./drey-store.ts"
import type { Vectors } from "./vectors.ts"

/** What the index found for a query, kept so that it can be ranked over and over. */
export type Kept = { query: Query; split: Split; found: FoundCandidates }

/** Asks each query in the store that `storesOf` names, with the table's vectors and, where there are any, MiniLM's. */
export async function keepFounds(
  stores: Store[],
  queriesOf: (store: Store) => Query[],
  vectors: Vectors | undefined,
): Promise<Kept[]> {
  const table = await openTable()
  const deep: Embedder | undefined = vectors && (await openDeep(vectors))
  const kept: Kept[] = []
  for (const store of stores) {
    const queries = queriesOf(store)
    if (queries.length === 0) continue
    const { parts, close } = await openDreyStore(store, deep ? { table, deep } : { table })
    for (const query of queries) {
      const vector = deep && (await deep.embed([query.text]))[0]
      const found = await parts.index.find({
        text: query.text,
        vectors: [
          { model: "static", vector: table.embedNow(query.text) },
          ...(vector ? [{ model: "minilm" as const, vector }] : []),
        ],
        filter: { agent: "*", superseded: true, archived: true },
        limit: fewProposals,
        neighbours: 20,
        now: 0,
      })
      kept.push({ query, split: store.split, found })
    }
    await close()
  }
  table.close()
  return kept
}

export type Means = "words" | "cold" | "resident"

/** The same as a process would have found it that has less to go by. */
export function seenWith(means: Means, { found, ...rest }: Kept): Kept {
  const candidates = found.candidates.map((candidate) => ({
    ...candidate,
    static: means === "words" ? undefined : candidate.static,
    minilm: means === "resident" ? candidate.minilm : undefined,
  }))
  return { ...rest, found: { ...found, candidates } }
}
