import { allClients } from "./all-clients.ts"
import type { Transcript } from "./client.ts"
import { readBeginning } from "./read-beginning.ts"

/** Whose transcript a file is, by its name and its beginning; nothing for a file that is nobody's or cannot be read. */
export function recogniseTranscript(path: string): Transcript | undefined {
  const beginning = readBeginning(path) ?? ""
  const client = allClients.find((each) => each.recognises(path, beginning))
  return client ? { client: client.id, path } : undefined
}
