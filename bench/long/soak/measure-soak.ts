import { percentile } from "../../recall-speed/timing.ts"
import { fitSlope, mean } from "./fit-line.ts"
import type { SoakLog } from "./soak-log.ts"

/** Minutes after which a process has loaded what it needs. */
const warmUp = 1.5

/** How long the contexts took at the beginning and at the end. */
export function measureThirds(contexts: SoakLog["contexts"]) {
  const third = Math.ceil(contexts.length / 3)
  const measure = (some: SoakLog["contexts"]) => {
    const times = some.map(({ ms }) => ms)
    return { contexts: times.length, p50: percentile(times, 0.5), p95: percentile(times, 0.95) }
  }
  return { first: measure(contexts.slice(0, third)), last: measure(third === 0 ? [] : contexts.slice(-third)) }
}

/** A straight line through what each process had in memory after it was warm: megabytes, and megabytes a minute. */
export function measureGrowth(memory: SoakLog["memory"]) {
  return [...new Set(memory.map(({ name }) => name))].map((name) => {
    const warm = memory.filter((each) => each.name === name && each.minute > warmUp)
    const lives = [...new Set(warm.map(({ life }) => life))].map((life) =>
      warm.filter((each) => each.life === life).map(({ minute, megabytes }) => [minute, megabytes] as const),
    )
    const minutes = lives.reduce((sum, life) => sum + ((life.at(-1)?.[0] ?? 0) - (life[0]?.[0] ?? 0)), 0)
    const megabytes = mean(warm.map((each) => each.megabytes))
    return { name, lives: lives.length, minutes, mean: megabytes, slope: fitSlope(lives) }
  })
}
