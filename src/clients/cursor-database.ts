import { dirname } from "node:path"
import type { Database } from "../disk/sqlite.ts"
import { readCursorConversation } from "./cursor-conversation.ts"
import { cursorWorkspace } from "./cursor-workspace.ts"
import { lookIfReadable } from "./foreign-database.ts"
import { type JsonObject, objectOf, objectsOf, textOf } from "./json-value.ts"
import { parseValue } from "./parse-value.ts"
import type { DatabaseFormat } from "./read-database.ts"

const columns = { cursorDiskKV: ["key", "value"] }

/** Cursor's conversations: a row for each, and one for each of its bubbles, among other rows. */
export function cursorDatabase(path: string): DatabaseFormat<string> {
  return {
    columns,
    sessions: (database, named) => (named === undefined ? conversationsIn(database) : [named]),
    stampOf(database, id) {
      const rows = database.prepare<{ rows: number; size: number | null }>(
        "SELECT count(*) AS rows, sum(length(value)) AS size FROM cursorDiskKV WHERE key >= ? AND key < ?",
      )
      const [own, bubbles] = [
        rows.get(`composerData:${id}`, `composerData:${id}\u0001`),
        rows.get(`bubbleId:${id}:`, `bubbleId:${id};`),
      ]
      return [own?.size, bubbles?.rows, bubbles?.size].join(".")
    },
    read(database, id, note) {
      const rows = database.prepare<{ value: unknown }>("SELECT value FROM cursorDiskKV WHERE key = ?")
      const look = (key: string) => {
        const value = rows.get(key)?.value
        note(typeof value === "string" || value instanceof Uint8Array ? value.length : 0)
        return parseValue(value) ?? {}
      }
      const data = look(`composerData:${id}`)
      return readCursorConversation({
        id,
        data,
        cwd: folderOf(data) ?? cursorWorkspace(dirname(dirname(path)), id),
        bubbles: objectsOf(data.fullConversationHeadersOnly).map(({ bubbleId }) => () => ({
          bubbleId,
          ...look(`bubbleId:${id}:${String(bubbleId)}`),
        })),
      })
    },
  }
}

/** The ids of a database's conversations; empty if it cannot be read. Only keys are read: a watcher asks often. */
export function listCursorConversations(path: string): string[] {
  return lookIfReadable(path, columns, conversationsIn) ?? []
}

function conversationsIn(database: Database): string[] {
  return database
    .prepare<{ id: string }>(
      `SELECT substr(key, 14) AS id FROM cursorDiskKV AS conversation
       WHERE key > 'composerData:' AND key < 'composerData;' AND EXISTS (
         SELECT 1 FROM cursorDiskKV AS bubble
         WHERE bubble.key > 'bubbleId:' || substr(conversation.key, 14) || ':'
           AND bubble.key < 'bubbleId:' || substr(conversation.key, 14) || ';')
       ORDER BY rowid`,
    )
    .all()
    .map(({ id }) => id)
}

function folderOf({ workspaceIdentifier }: JsonObject): string | undefined {
  return textOf(objectOf(objectOf(workspaceIdentifier)?.uri)?.fsPath)
}
