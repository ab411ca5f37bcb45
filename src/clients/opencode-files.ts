import { basename, dirname, join } from "node:path"
import { parseJson } from "../disk/parse-json.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import type { Position } from "./client.ts"
import { findFiles } from "./find-files.ts"
import { type JsonObject, numberOf, objectOf, objectsOf, textOf } from "./json-value.ts"
import { listFolder } from "./list-folder.ts"
import { type OpencodeMessage, readOpencodeSession } from "./opencode-session.ts"
import { readJsonFile } from "./read-json-file.ts"
import { readWhole } from "./read-whole.ts"

/** Sessions that versions before the database stored as a tree of files, oldest first. */
export function findStoredSessions(storage: string): string[] {
  return findFiles(join(storage, "session"), 2, (name) => name.endsWith(".json"))
}

/** A session of that tree, by its file, or a document written by `opencode export`. */
export function readOpencodeFile(path: string, from: Position | undefined) {
  return readWhole([path, ...latestFiles(path)], from, () => {
    const { text, bytes } = readTextFile(path)
    const document = objectOf(parseJson(text, path)) ?? {}
    const info = objectOf(document.info) ?? document
    const id = info.parentID === undefined ? textOf(info.id) : undefined // otherwise a sub-agent's
    const messages = document.messages === undefined ? storedMessages(path) : exportedMessages(document)
    const session = { id: id ?? "", directory: textOf(info.directory) }
    return { account: readOpencodeSession(session, id === undefined ? [] : messages), bytes }
  })
}

/** New content of a session goes into its last message, or after it. */
function latestFiles(path: string): string[] {
  const message = listFolder(messageFolder(path)).at(-1)
  if (message === undefined) return []
  const parts = join(storageOf(path), "part", basename(message, ".json"))
  return [join(messageFolder(path), message), ...listFolder(parts).map((name) => join(parts, name))]
}

function exportedMessages({ messages }: JsonObject): OpencodeMessage[] {
  return objectsOf(messages).map(({ info, parts }) => ({ info: objectOf(info) ?? {}, parts: () => objectsOf(parts) }))
}

function storedMessages(path: string): OpencodeMessage[] {
  return readFolder(messageFolder(path))
    .sort((a, b) => createdOf(a.content) - createdOf(b.content))
    .map(({ id, content }) => ({
      info: content,
      parts: () => readFolder(join(storageOf(path), "part", id)).map((part) => part.content),
    }))
}

/** In the order of their ids, which is the order of creation. */
function readFolder(folder: string): { id: string; content: JsonObject }[] {
  return listFolder(folder).map((name) => ({
    id: basename(name, ".json"),
    content: objectOf(readJsonFile(join(folder, name))) ?? {},
  }))
}

function createdOf(info: JsonObject): number {
  return numberOf(objectOf(info.time)?.created) ?? 0
}

/** A session's file is `storage/session/<project>/<session>.json`. */
function storageOf(path: string): string {
  return dirname(dirname(dirname(path)))
}

function messageFolder(path: string): string {
  return join(storageOf(path), "message", basename(path, ".json"))
}
