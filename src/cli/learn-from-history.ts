import type { Drey } from "../drey.ts"
import type { Ingestion } from "../learning/ingest.ts"
import { newMemories } from "./new-memories.ts"
import { ingestBars, ingestText } from "./show-learning.ts"

/** The result of learning from a project's history; `text` includes the first few memories. */
export type History = { ingestion: Ingestion; isStopped: boolean; text: string }

const examples = 3

/** Learns from the project's existing transcripts. Ctrl-C stops between two steps; finished steps are kept. */
export async function learnFromHistory(drey: Drey): Promise<History> {
  const stop = new AbortController()
  const end = () => stop.abort() // a second Ctrl-C kills the process, which loses nothing either
  process.once("SIGINT", end)
  const bars = ingestBars()
  try {
    const learning = drey.memories
    const ingestion = await learning.ingest({ progress: bars.progress, signal: stop.signal })
    bars.end()
    const taken = ingestion.learned.outcomes.filter(({ kind }) => kind !== "dropped")
    const lines = [historyText(ingestion), ...(await newMemories(learning, taken, examples))]
    if (stop.signal.aborted) lines.push('Stopped. Resume with "drey replay".')
    return { ingestion, isStopped: stop.signal.aborted, text: lines.join("\n") }
  } finally {
    process.off("SIGINT", end)
    bars.end()
  }
}

function historyText(ingestion: Ingestion): string {
  const { records, paused, troubled, learned } = ingestion
  const isNothing = records + paused.length + troubled.length + learned.episodes === 0
  return isNothing ? "No new agent transcripts found for this repository." : ingestText(ingestion)
}
