import type { Memory } from "../store/memory.ts"

/** The share of matching contexts in which a memory was used. Tasks without a context request do not count. */
export function useRatio(memory: Memory): number {
  const asked = timesAsked(memory)
  return asked === 0 ? 0 : memory.metrics.useCount / asked
}

export function timesAsked({ metrics }: Memory): number {
  return metrics.useCount + metrics.passedOver
}

/** A memory's record: "5 opportunities, used in 4 of 5 contexts, helped twice". */
export function recordOf(memory: Memory): string {
  const { opportunities, useCount, hits, misses } = memory.metrics
  const asked = timesAsked(memory)
  const parts = [
    opportunities === 1 ? "1 opportunity" : `${opportunities} opportunities`,
    asked === 0
      ? "no context requested"
      : `used in ${useCount}${asked === opportunities ? "" : ` of ${asked} contexts`}`,
    hits === 0 ? "never seen to help" : `helped ${timesOf(hits)}`,
    ...(misses === 0 ? [] : [`failed ${timesOf(misses)}`]),
  ]
  return parts.join(", ")
}

/** "once", "twice", "3 times". */
export function timesOf(number: number): string {
  return number === 1 ? "once" : number === 2 ? "twice" : `${number} times`
}

export function countOf(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`
}
