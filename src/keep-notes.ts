import { setTimeout } from "node:timers/promises"
import type { Drey } from "./drey.ts"
import { sentenceOf } from "./errors.ts"

export type KeepNotes = {
  /** The repositories to check; called before every round. */
  repositories(): Promise<readonly Pick<Drey, "memories">[]>
  /** Stops the loop after the current repository. */
  signal: AbortSignal
  warn: (message: string) => void
}

const everyMs = 10 * 60_000

/** Refreshes staleness notes every 10 minutes in long-running processes. Each distinct error is reported once. */
export async function keepNotes({ repositories, signal, warn }: KeepNotes): Promise<void> {
  const told = new Set<string>()
  while (!signal.aborted) {
    try {
      for (const drey of await repositories()) if (!signal.aborted) await drey.memories.staleness.refresh()
    } catch (error) {
      const problem = sentenceOf(error) // contexts work without new notes; the next round may succeed
      if (!told.has(problem)) warn(problem)
      told.add(problem)
    }
    await setTimeout(everyMs, undefined, { signal, ref: false }).catch(() => {}) // the signal ends the pause
  }
}
