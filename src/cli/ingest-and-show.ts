import { openDrey } from "../drey.ts"
import type { IngestRequest } from "../learning/open-learning.ts"
import { newMemories } from "./new-memories.ts"
import { type CommonOptions, print, tell } from "./print.ts"
import { ingestBars, ingestDocument, ingestText } from "./show-learning.ts"

/** Shared by `ingest` and `replay`: read, learn, print the result. */
export async function ingestAndShow(options: CommonOptions, request: IngestRequest): Promise<void> {
  const drey = openDrey(options)
  const bars = ingestBars()
  const learning = drey.memories
  const ingestion = await learning.ingest({ ...request, progress: bars.progress })
  bars.end()
  const memories = await newMemories(learning, ingestion.learned.outcomes)
  await drey.close()
  print(
    options,
    () => ingestDocument(ingestion),
    () => [ingestText(ingestion), ...memories].join("\n"),
  )
  for (const { path, message } of ingestion.unreadable) tell(`drey: skipped ${path}: ${message}`)
}
