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
