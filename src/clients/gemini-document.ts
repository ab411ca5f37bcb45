import { parseJson } from "../disk/parse-json.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import type { Account } from "./account.ts"
import type { Batch, Position, Transcript } from "./client.ts"
import { openGeminiMessages } from "./gemini-messages.ts"
import { objectOf, objectsOf } from "./json-value.ts"
import { readWhole } from "./read-whole.ts"

/** Reads a session of the older format: one document, rewritten with every message. */
export function readGeminiDocument({ path }: Transcript, from: Position | undefined): AsyncIterable<Batch> {
  return readWhole([path], from, () => {
    const { text, bytes } = readTextFile(path)
    return { account: readDocument(parseJson(text, path), path), bytes }
  })
}

function readDocument(content: unknown, path: string): Account {
  const document = objectOf(content) ?? {}
  const messages = openGeminiMessages(path, "")
  const unknown: Record<string, number> = {}
  const listed = objectsOf(document.messages)
  messages.begin(document)
  for (const message of listed) {
    const kind = messages.take(message, 0)
    if (kind !== undefined) unknown[kind] = (unknown[kind] ?? 0) + 1
  }
  return { events: messages.events(), records: listed.length + 1, unknown }
}
