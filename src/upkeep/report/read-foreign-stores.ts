import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { fileError } from "../../disk/file-error.ts"
import { readTextFile } from "../../disk/read-text-file.ts"
import { DreyError } from "../../errors.ts"
import { isRulesFile } from "../../squad/import/rules.ts"
import { readMarkdown } from "./read-markdown.ts"
import { readMem0 } from "./read-mem0.ts"
import { readServerMemory } from "./read-server-memory.ts"
import type { ReadStore } from "./stored-memory.ts"

export type ForeignStores = { stores: ReadStore[]; unread: { path: string; reason: string }[] }

/**
 * Reads the store in a file, or every store in a folder. Other files in a folder are skipped; a named file that is not
 * a store is an error.
 */
export function readForeignStores(path: string): ForeignStores {
  if (!existsSync(path)) throw new DreyError(`${path} does not exist`)
  if (!statSync(path).isDirectory()) {
    const store = recognise(path, readTextFile(path).text)
    if (store) return { stores: [store], unread: [] }
    throw new DreyError(`${path} is not in a supported memory format`, { hint: known })
  }
  const unread: ForeignStores["unread"] = []
  const attempt: Attempt = (name, find) => {
    try {
      return find()
    } catch (error) {
      const told = fileError(join(path, name), error)
      if (!(told instanceof DreyError)) throw error
      unread.push({ path: name, reason: told.message })
      return []
    }
  }
  const read = namesBelow(path, "", attempt).flatMap((name) =>
    attempt(name, () => {
      const store = recognise(name, readTextFile(join(path, name)).text)
      return store ? [store] : []
    }),
  )
  if (read.length === 0) throw noStore(path, unread)
  const told = read.filter(({ memories, broken }) => memories.length + broken.length > 0)
  return { stores: joinMarkdown(path, told.length > 0 ? told : read), unread }
}

/** The stores in a file or folder; an unreadable one is returned as unread. */
type Attempt = <Found>(name: string, find: () => Found[]) => Found[]

function noStore(path: string, unread: ForeignStores["unread"]): DreyError {
  const [first] = unread
  if (!first) return new DreyError(`${path} contains no supported memory store`, { hint: known })
  const others = unread.length === 1 ? "" : `, and ${unread.length - 1} more could not be read`
  return new DreyError(`${path} contains no readable memory store: ${first.reason}${others}`, { hint: known })
}

/** All notes in one folder are one store, so that duplicates across files are found. */
function joinMarkdown(path: string, stores: ReadStore[]): ReadStore[] {
  const notes = stores.filter(({ format }) => format === "markdown")
  const others = stores.filter(({ format }) => format !== "markdown")
  const [first] = notes
  if (!first || notes.length === 1) return stores
  const memories = notes.flatMap((store) => store.memories)
  return [{ ...first, path, memories, parts: [`${notes.length} files`] }, ...others]
}

const known =
  "Supported: mem0 exports (JSON), JSON lines of the reference memory server, and Markdown lists such as MEMORY.md or CLAUDE.md."

function recognise(path: string, text: string): ReadStore | undefined {
  const name = basename(path)
  if (/\.(?:md|mdc|markdown)$|^\.(?:cursorrules|windsurfrules|clinerules)$/i.test(name)) return readMarkdown(path, text)
  if (!/\.(?:json|jsonl|ndjson)$/i.test(name)) return undefined
  return readServerMemory(path, text) ?? readMem0(path, text) // the server's file may also be named .json
}

const passedOver = /^(?:\.git|node_modules|dist|build|coverage|\.venv|vendor|target)$/

function namesBelow(folder: string, below: string, attempt: Attempt): string[] {
  return attempt(below, () => readdirSync(join(folder, below), { withFileTypes: true }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((item) => {
      const name = `${below}${item.name}`
      if (item.isDirectory()) return passedOver.test(item.name) ? [] : namesBelow(folder, `${name}/`, attempt)
      return item.isFile() && isCandidate(folder, name) ? [name] : []
    })
}

/** Not every Markdown file is memory: rules files by name, others only if the name or folder says so. */
function isCandidate(folder: string, name: string): boolean {
  if (/\.(?:json|jsonl|ndjson)$/i.test(name)) return true
  if (isRulesFile(name) || /(?:^|\/)\.cursor\/rules\/.*\.mdc$/i.test(name)) return true
  return /\.md$/i.test(name) && /memor(?:y|ies)/i.test(`${basename(resolve(folder))}/${name}`)
}
