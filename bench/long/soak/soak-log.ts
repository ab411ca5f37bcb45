/** What an acknowledged write must leave behind: a unique word, and where it is looked for. */
export type Written = { writer: string; word: string; in: "governed" | "entries" | "session" }

/** Everything that is noted while the load runs. */
export type SoakLog = {
  written: Written[]
  /** Milliseconds of each context, with when it was asked for. */
  contexts: { at: number; ms: number }[]
  /** Resident memory of the processes that stay: `life` counts their starts. */
  memory: { name: string; life: number; minute: number; megabytes: number }[]
  runs: Map<string, { done: number; killed: number; failed: number }>
  /** What went wrong without having been killed: by who and in which words. */
  troubles: Map<string, number>
  /** What a process that stays did and must not: ended without having been killed, or answered that the fault is its own. */
  faults: Map<string, number>
  kills: number
}

export function openSoakLog(): SoakLog {
  return { written: [], contexts: [], memory: [], runs: new Map(), troubles: new Map(), faults: new Map(), kills: 0 }
}

export function noteRun(log: SoakLog, name: string, how: "done" | "killed" | "failed"): void {
  const counts = log.runs.get(name) ?? { done: 0, killed: 0, failed: 0 }
  counts[how]++
  log.runs.set(name, counts)
}

export function noteTrouble(log: SoakLog, name: string, words: string): void {
  count(log.troubles, `${name}: ${words.trim().split("\n")[0]}`)
}

export function noteFault(log: SoakLog, name: string, words: string): void {
  count(log.faults, `${name} ${words.trim()}`)
}

/** Ids and numbers aside, the same words are the same kind. */
function count(counts: Map<string, number>, words: string): void {
  const kind = words.replace(/\b[0-9a-f-]{8,}\b|\d{4,}/g, "…")
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
}
