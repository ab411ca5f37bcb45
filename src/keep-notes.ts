import { setTimeout } from "node:timers/promises"
import type { Drey } from "./drey.ts"
import { sentenceOf } from "./errors.ts"

export type KeepNotes = {
  /** The repositories to look at, asked for before every look. */
  repositories(): Promise<readonly Pick<Drey, "memories">[]>
  /** Ends it, after the repository in hand. */
  signal: AbortSignal
  warn: (message: string) => void
}

const everyMs = 10 * 60_000

/** Looks now and then whether what items name is still there, for a process that stays, until the signal. The same trouble is told once. */
export async function keepNotes({ repositories, signal, warn }: KeepNotes): Promise<void> {
  const told = new Set<string>()
  while (!signal.aborted) {
    try {
      for (const drey of await repositories()) if (!signal.aborted) await drey.memories.staleness.refresh()
    } catch (error) {
      const problem = sentenceOf(error) // contexts do without new notes; the next look may go better
      if (!told.has(problem)) warn(problem)
      told.add(problem)
    }
    await setTimeout(everyMs, undefined, { signal, ref: false }).catch(() => {}) // the signal ends the pause
  }
}
