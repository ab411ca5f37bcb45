import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { fileError, readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { findFences } from "../../formats/markdown.ts"
import { isBlank, splitLines } from "../../formats/source-text.ts"
import { isRulesFile } from "../../formats/text.ts"

import { readJsonLines, readMem0 } from "./mem0.ts"
import type { ReadStore, StoredMemory } from "./quality-report.ts"

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
  const attempt: TryToFind = (name, find) => {
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
type TryToFind = <Found>(name: string, find: () => Found[]) => Found[]

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

function namesBelow(folder: string, below: string, attempt: TryToFind): string[] {
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

/**
 * The reference memory server's graph, one record per line: every observation of an entity is a memory. Undefined if no
 * line is a record.
 */
export function readServerMemory(path: string, text: string): ReadStore | undefined {
  const store: ReadStore = { path, format: "server-memory", memories: [], parts: [], broken: [] }
  let entities = 0
  let relations = 0
  for (const { value, line } of readJsonLines(text)) {
    if (value?.type === "entity") {
      entities++
      addEntity(store, value, line)
    } else if (value?.type === "relation") relations++
    else {
      const reason = value === undefined ? "not a JSON object" : "neither an entity nor a relation"
      store.broken.push({ path, line, reason })
    }
  }
  if (entities + relations === 0) return undefined
  store.parts = [`${entities} entities`, `${relations} relations`]
  return store
}

/** An entity without observations is an empty memory. */
function addEntity({ path, memories, broken }: ReadStore, entity: Record<string, unknown>, line: number): void {
  const id = typeof entity.name === "string" ? entity.name : ""
  const observations = entity.observations ?? []
  if (!Array.isArray(observations)) {
    broken.push({ path, line, reason: "observations is not a list" })
    return
  }
  for (const text of observations.length === 0 ? [""] : observations)
    if (typeof text === "string") memories.push({ path, line, id, text, at: undefined })
    else broken.push({ path, line, reason: "an observation is not a text" })
}

const item = /^ {0,1}(?:[-*+]|\d{1,3}[.)])(?:[ \t]+|$)/
const frame = /^(?:#{1,6}(?:[ \t]|$)|-{3,}$|\*{3,}$|={3,}$|<!--|<\/?[a-z]|@\S+$)/i

/** Notes kept in Markdown (MEMORY.md, CLAUDE.md): each list item and each paragraph is a memory. */
export function readMarkdown(path: string, text: string): ReadStore {
  const { lines } = splitLines(text)
  const { fenced } = findFences(lines)
  const next = nextTexts(lines)
  const memories: StoredMemory[] = []
  let open: StoredMemory | undefined
  let isItem = false
  const begin = (line: string, at: number, ofList: boolean) => {
    open = { path, line: at + 1, text: line, at: undefined }
    isItem = ofList
    memories.push(open)
  }
  for (let at = endOfHeader(lines); at < lines.length; at++) {
    const line = lines[at] ?? ""
    if (fenced[at]) {
      if (open)
        open.text += `\n${line}` // code belongs to the text above it
      else begin(line, at, false)
    } else if (frame.test(line) || isLabel(lines, fenced, at, next[at])) open = undefined
    else if (item.test(line)) begin(line.replace(item, ""), at, true)
    else if (isBlank(line)) open = keepsOpen(lines, fenced, next[at], isItem) ? open : undefined
    else if (open) open.text += `\n${line.trim()}`
    else begin(line.trim(), at, false)
  }
  return { path, format: "markdown", memories, parts: [], broken: [] }
}

type Fenced = ArrayLike<unknown>

/** For each line, the next line that is not blank. */
function nextTexts(lines: readonly string[]): (number | undefined)[] {
  const next: (number | undefined)[] = new Array(lines.length)
  let found: number | undefined
  for (let at = lines.length - 1; at >= 0; at--) {
    next[at] = found
    if (!isBlank(lines[at] ?? "")) found = at
  }
  return next
}

/** A line that only introduces what follows, like a heading; before code it describes the code. */
function isLabel(lines: readonly string[], fenced: Fenced, at: number, next: number | undefined): boolean {
  const isAlone = isBlank(lines[at - 1] ?? "") && isBlank(lines[at + 1] ?? "")
  const isBefore = !isBlank(lines[at - 1] ?? "") || item.test(lines[at + 1] ?? "")
  if (!/^(?:(?:\*\*|__)[^*_]{1,80}(?:\*\*|__):?|[^.!?`]{1,60}:)$/.test((lines[at] ?? "").trim())) return false
  return (isAlone || isBefore) && !(next !== undefined && fenced[next])
}

/** An item continues after a blank line if the next line is indented; code belongs to the paragraph before it. */
function keepsOpen(lines: readonly string[], fenced: Fenced, next: number | undefined, isItem: boolean): boolean {
  if (next === undefined) return false
  return Boolean(fenced[next]) || (isItem && /^[ \t]{2,}/.test(lines[next] ?? ""))
}

function endOfHeader(lines: readonly string[]): number {
  if (lines[0]?.trim() !== "---") return 0
  const end = lines.findIndex((line, at) => at > 0 && line.trim() === "---")
  return end === -1 ? 0 : end + 1
}
