/** What one run took, in milliseconds: by the clock, and of the processor, which other programs disturb less. */
export type Cost = { wall: number; cpu: number }

export async function timed(act: () => unknown): Promise<Cost> {
  const before = process.cpuUsage()
  const started = performance.now()
  await act()
  const wall = performance.now() - started
  const { user, system } = process.cpuUsage(before)
  return { wall, cpu: (user + system) / 1000 }
}

/** The value that this share of the others does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/**
 * Runs every arm on every question, in turns so that all meet the same disturbances, and for each question the median of the rounds.
 * Which arm comes first changes with every question.
 */
export async function interleave<Question>(
  questions: readonly Question[],
  arms: Record<string, (question: Question) => unknown>,
  rounds: number,
): Promise<Map<string, Cost[]>> {
  const names = Object.keys(arms)
  const costs = new Map(names.map((name) => [name, questions.map(() => [] as Cost[])]))
  for (let round = 0; round < rounds; round++) {
    for (const [number, question] of questions.entries()) {
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(turn + number + round) % names.length] ?? ""
        costs.get(name)?.[number]?.push(await timed(() => arms[name]?.(question)))
      }
    }
  }
  const middle = (runs: Cost[]): Cost => ({
    wall: median(runs.map(({ wall }) => wall)),
    cpu: median(runs.map(({ cpu }) => cpu)),
  })
  return new Map([...costs].map(([name, perQuestion]) => [name, perQuestion.map(middle)]))
}
