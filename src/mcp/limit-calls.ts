/** Limits concurrent calls; the others wait in order. */
export type CallLimit = {
  run<Result>(act: () => Promise<Result>): Promise<Result>
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>
}

export function limitCalls(most: number): CallLimit {
  const waiting: (() => void)[] = []
  let idlers: (() => void)[] = []
  let running = 0
  const leave = () => {
    const next = waiting.shift()
    if (next) return next() // the next call takes the free slot
    running--
    if (running > 0) return
    for (const tell of idlers) tell()
    idlers = []
  }
  return {
    async run(act) {
      if (running < most) running++
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await act()
      } finally {
        leave()
      }
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  }
}
