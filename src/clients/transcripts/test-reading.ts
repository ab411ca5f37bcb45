import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Position, TranscriptEvent } from "../../formats/client-events.ts"
import type { Batch, Client, Transcript } from "../client.ts"
import { story } from "./client-contract.ts"

/** Injected text that the fixtures of several clients use. */
export const contextText = `<drey-context task="${story.context}">${story.canary}</drey-context>`

export function findIn(client: Client, home: string): Transcript[] {
  return client.find({ home, environment: {}, platform: "linux" })
}

export async function readBatches(
  client: Client,
  transcript: Transcript | undefined,
  from?: Position,
): Promise<Batch[]> {
  if (transcript === undefined) throw new Error("there is no such transcript")
  const batches: Batch[] = []
  for await (const batch of client.read(transcript, from)) batches.push(batch)
  return batches
}

export async function readEvents(
  client: Client,
  transcript: Transcript | undefined,
  from?: Position,
): Promise<TranscriptEvent[]> {
  return (await readBatches(client, transcript, from)).flatMap(({ events }) => events)
}

/** Writes text as it is, and anything else as JSON. */
export function writeTo(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2))
}
