import { openMinilmEmbedder } from "../../src/index/embedders/minilm-embedder.ts"
import { openStaticEmbedder } from "../../src/index/embedders/static-embedder.ts"
import { buildContext } from "../../src/recall/context/context-builder.ts"
import type { RecallParts } from "../../src/recall/recall-parts.ts"
import { findRanked } from "../../src/recall/search/ranking.ts"
import { boundTokens } from "../../src/recall/token-count.ts"
import type { Arm } from "./arm.ts"
import { type Embedders, isSaid, openDreyStore } from "./drey-store.ts"
import { dimensions, type Vectors } from "./vectors.ts"

/** Drey as it runs: its index, its embedders, its ranking. What MiniLM itself gives comes from the bench's cache. */
export function dreyArms(vectors: Vectors): Arm[] {
  const table = once(openTable)
  const deep = once(() => openDeep(vectors))
  return [
    dreyArm("Drey words", async () => ({})),
    dreyArm("Drey cold", async () => ({ table: await table() })),
    dreyArm("Drey resident", async () => ({ table: await table(), deep: await deep() })),
  ]
}

function dreyArm(name: string, embedders: () => Promise<Embedders>): Arm {
  return {
    name,
    kind: "drey",
    async open(store) {
      const { parts, close } = await openDreyStore(store, await embedders())
      return {
        async search(query, limit, { agent = "*", asOf } = {}) {
          const filter = { agent, superseded: true, archived: true, ...(asOf === undefined ? {} : { asOf }) }
          const ranked = await findRanked(parts, query, filter)
          return ranked.slice(0, limit).map(({ candidate, score, relevance, qualifies }) => {
            return { id: candidate.id, score, confidence: relevance, isAnswer: qualifies }
          })
        },
        // What was said in a conversation is found, but no context is made of it.
        ...(store.documents.every(isSaid) ? {} : { context: (task, budget) => contextOf(parts, task, budget) }),
        close,
      }
    },
  }
}

async function contextOf(parts: RecallParts, task: string, budget: number): Promise<string> {
  const { context } = await buildContext({ ...parts, countTokens: boundTokens }, { task, budget })
  return context.text
}

export async function openTable() {
  const outcome = openStaticEmbedder({ whole: true })
  if (outcome.kind === "unavailable") throw new Error(`The static table cannot be opened: ${outcome.reason}`)
  return outcome.embedder
}

export async function openDeep(vectors: Vectors) {
  const outcome = await openMinilmEmbedder({ load: async () => ({ dimensions, embed: vectors.of }) })
  if (outcome.kind === "unavailable") throw new Error(`MiniLM cannot be used: ${outcome.reason}`)
  return outcome.embedder
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
