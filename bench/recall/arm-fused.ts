import { standardScores } from "../../src/recall/search/ranking.ts"
import type { Arm, Hit } from "./arm.ts"
import { best } from "./arm-minilm.ts"

/** As many results of each engine as are fused; a document outside of them counts as the worst inside. */
const depth = 100

/** The sum of two engines' scores, each spread over 0 to 1 among its own results; the second one's counts by `weight`. */
export function scoreSum(first: Arm, second: Arm, weight: number): Arm {
  return fuse(`sum 1:${weight}`, first, second, (hits, engine) => {
    const scores = hits.map(({ score }) => score)
    const low = Math.min(...scores)
    const range = Math.max(...scores) - low
    return hits.map(({ score }) => (engine === 0 ? 1 : weight) * (range === 0 ? 1 : (score - low) / range))
  })
}

/** The sum of two engines' scores over all documents, each in standard deviations from its mean: what Drey's ranking has to beat. */
export function plainSum(first: Arm, second: Arm): Arm {
  return {
    name: "plain sum",
    kind: "simple",
    async open(store) {
      const engines = [await first.open(store), await second.open(store)]
      const ids = store.documents.map(({ id }) => id)
      return {
        async search(query, limit) {
          const total = new Float64Array(ids.length)
          for (const engine of engines) {
            const scores = new Map((await engine.search(query, ids.length)).map(({ id, score }) => [id, score]))
            const standard = standardScores(ids.map((id) => scores.get(id) ?? 0))
            standard.forEach((score, at) => {
              total[at] = (total[at] as number) + score
            })
          }
          return best(
            ids.map((id, at) => ({ id, score: total[at] as number })),
            limit,
          )
        },
        async close() {
          for (const engine of engines) await engine.close()
        },
      }
    },
  }
}

/** Reciprocal rank fusion with the usual constant of 60. */
export function rankFusion(first: Arm, second: Arm): Arm {
  return fuse("RRF", first, second, (hits) => hits.map((_, rank) => 1 / (60 + rank + 1)))
}

function fuse(name: string, first: Arm, second: Arm, points: (hits: Hit[], engine: number) => number[]): Arm {
  return {
    name,
    kind: "simple",
    async open(store) {
      const engines = [await first.open(store), await second.open(store)]
      return {
        async search(query, limit) {
          const total = new Map<string, number>()
          for (const [engine, opened] of engines.entries()) {
            const hits = await opened.search(query, depth)
            const given = points(hits, engine)
            hits.forEach(({ id }, index) => {
              total.set(id, (total.get(id) ?? 0) + (given[index] ?? 0))
            })
          }
          return best(
            [...total].map(([id, score]) => ({ id, score })),
            limit,
          )
        },
        async close() {
          for (const engine of engines) await engine.close()
        },
      }
    },
  }
}
