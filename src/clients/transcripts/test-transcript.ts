import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeRepository } from "../../../test/run-cli.ts"
import type { Position, TranscriptEvent } from "../../formats/client-events.ts"
import type { Batch, Client } from "../client.ts"

export type Read = {
  events: TranscriptEvent[]
  records: number
  unknown: Record<string, number>
  position: Position | undefined
}

/** Writes records as a separate transcript. */
export function writeTranscript(records: readonly unknown[], name = "session.jsonl"): string {
  const path = join(makeRepository({}), name)
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""))
  return path
}

/** All events that a client reads in a transcript. */
export async function readTranscript(client: Client, path: string, from?: Position): Promise<Read> {
  const batches: Batch[] = []
  for await (const batch of client.read({ client: client.id, path }, from)) batches.push(batch)
  const unknown: Record<string, number> = {}
  for (const batch of batches)
    for (const [kind, number] of Object.entries(batch.unknown)) unknown[kind] = (unknown[kind] ?? 0) + number
  return {
    events: batches.flatMap(({ events }) => events),
    records: batches.reduce((sum, { records }) => sum + records, 0),
    unknown,
    position: batches.at(-1)?.position,
  }
}

/** The same for records made up by a test. */
export function readRecords(client: Client, records: readonly unknown[], name?: string): Promise<Read> {
  return readTranscript(client, writeTranscript(records, name))
}
