import { openGeminiMessages } from "./gemini-messages.ts"
import { type JsonObject, objectOf, objectsOf, textOf } from "./json-value.ts"
import type { LineFormat } from "./read-lines.ts"

/** Gemini's log of operations: a header, messages, and changes to earlier records. */
export const geminiLines: LineFormat = {
  isIdle: (line) => line.length < 100 && line.toString("latin1", 0, 24) === '{"$set":{"lastUpdated":"',
  open({ path }, carried) {
    const messages = openGeminiMessages(path, carried)
    return {
      take(record, line) {
        const unknown = tellRecord(record, line)
        return unknown === undefined ? messages.events() : { unknown }
      },
      carry: messages.carry,
    }

    /** The name of an unknown kind. */
    function tellRecord(record: JsonObject, line: number): string | undefined {
      const change = objectOf(record.$set)
      if (change !== undefined) for (const message of objectsOf(change.messages)) messages.take(message, line, "copy")
      else if (textOf(record.sessionId) !== undefined) messages.begin(record)
      else if (record.$rewindTo === undefined) return messages.take(record, line)
      return undefined
    }
  },
}
