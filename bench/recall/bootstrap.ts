import { mean } from "./metrics.ts"
import { seededRandom } from "./seeded-random.ts"

export type Interval = { mean: number; low: number; high: number }

/** The 95 % interval of the mean of differences, one for each query: 2,000 seeded resamples. */
export function bootstrap(differences: number[], resamples = 2000, seed = 1): Interval {
  const random = seededRandom(seed)
  const means = Array.from({ length: resamples }, () => {
    let total = 0
    for (let drawn = 0; drawn < differences.length; drawn++) {
      total += differences[Math.floor(random() * differences.length)] ?? 0
    }
    return total / differences.length
  })
  means.sort((a, b) => a - b)
  const at = (quantile: number) => means[Math.round(quantile * (resamples - 1))] ?? Number.NaN
  return { mean: mean(differences), low: at(0.025), high: at(0.975) }
}
