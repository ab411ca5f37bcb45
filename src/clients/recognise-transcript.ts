import { allClients } from "./all-clients.ts"
import type { Transcript } from "./client.ts"
import { readBeginning } from "./read-beginning.ts"

/** The client of a transcript file, by its name and beginning; undefined if unknown or unreadable. */
export function recogniseTranscript(path: string): Transcript | undefined {
  const beginning = readBeginning(path) ?? ""
  const client = allClients.find((each) => each.recognises(path, beginning))
  return client ? { client: client.id, path } : undefined
}
