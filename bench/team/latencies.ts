export type Latencies = { p50: number; p95: number; p99: number; perSecond: number }

/** So many requests by so many clients, each beginning its next when the last was answered; the first tenth is for warming up. */
export async function measure(
  clients: number,
  requests: number,
  act: (number: number) => Promise<unknown>,
): Promise<Latencies> {
  const warmUp = Math.ceil(requests / 10)
  let next = 0
  let began = 0
  const taken: number[] = []
  const client = async () => {
    for (let number = next++; number < requests + warmUp; number = next++) {
      if (number === warmUp) began = performance.now()
      const start = performance.now()
      await act(number)
      if (number >= warmUp) taken.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const seconds = (performance.now() - began) / 1000
  taken.sort((one, other) => one - other)
  const at = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), perSecond: taken.length / seconds }
}

export function tell({ p50, p95, p99, perSecond }: Latencies): string {
  return `p50 ${p50.toFixed(1)}  p95 ${p95.toFixed(1)}  p99 ${p99.toFixed(1)} ms  ${perSecond.toFixed(0)}/s`
}
