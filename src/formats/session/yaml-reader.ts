import { isRecord } from "../objects.ts"
import type { SessionProblem } from "./session-problem.ts"
import { cutSections, type SectionedYaml } from "./yaml-sections.ts"
import { findEntry, parseYaml, type YamlFault, type YamlNode, type YamlPath, type YamlReading } from "./yaml-tree.ts"

/**
 * Reads any text: YAML 1.2's core schema, one map at the top, no duplicate keys. Parts unchanged since an earlier read are not parsed
 * again; their value is the same frozen object.
 */
export function readYaml(text: string): YamlReading {
  const nul = text.indexOf("\0")
  if (nul !== -1) {
    const message = "The file contains a NUL character, so it is not UTF-8 text."
    return broken(text, [{ code: "syntax", offset: nul, message }])
  }
  const chunked = readChunks(text)
  if (chunked) return read(text, chunked.value, () => chunkedOffsetFinder(chunked))
  const { mark, content } = cutMark(text)
  const value = readValue(content)?.value
  if (isRecord(value)) {
    return read(text, value, () => {
      const find = offsetFinder(content)
      return (path) => mark.length + find(path)
    })
  }
  const parsed = parseYaml(content)
  if (parsed.kind === "broken") {
    const faults = parsed.faults.map((fault) => ({ ...fault, offset: mark.length + fault.offset }))
    return broken(text, faults)
  }
  const message = "The file as a whole must be a map: lines of `key: value`."
  return broken(text, [{ code: "wrong-type", offset: mark.length + parsed.root.start, message }])
}

/** A byte order mark and the text behind it. */
export function cutMark(text: string): { mark: string; content: string } {
  const length = text.startsWith("\uFEFF") ? 1 : 0
  return { mark: text.slice(0, length), content: text.slice(length) }
}

function broken(text: string, faults: readonly YamlFault[]): YamlReading {
  const problems = faults.slice(0, 20).map(({ code, offset, message }): SessionProblem => {
    return { severity: "error", code, path: "", ...lineAndColumn(text, offset), message }
  })
  return { kind: "broken", problems }
}

/** Positions are wanted when something is wrong, so nothing is searched before the first of them. */
function read(text: string, value: Record<string, unknown>, makeFinder: () => OffsetFinder): YamlReading {
  let find: OffsetFinder | undefined
  let starts: number[] | undefined
  const positionOf = (path: YamlPath) => {
    find ??= makeFinder()
    starts ??= lineStarts(text)
    return placeIn(starts, find(path))
  }
  return { kind: "read", document: { text, value, positionOf } }
}

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  return placeIn(lineStarts(text), offset)
}

function lineStarts(text: string): number[] {
  const starts = [cutMark(text).mark.length]
  for (let feed = text.indexOf("\n"); feed !== -1; feed = text.indexOf("\n", feed + 1)) starts.push(feed + 1)
  return starts
}

function placeIn(starts: readonly number[], offset: number): { line: number; column: number } {
  let low = 0 // the last start that is not behind the offset
  for (let high = starts.length; high - low > 1; ) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return { line: low + 1, column: Math.max(offset - (starts[low] ?? 0), 0) + 1 }
}

/** A text cut into chunks that were all parsed by themselves. */
export type ChunkedYaml = SectionedYaml & { value: Record<string, unknown> }

/** `anchored`: contains anchors, so it must not be split. */
type ParsedText = { text: string; value: unknown; anchored: boolean }

/** Some 40 files of the largest size a session file should have. */
const parsed = keepRecent(4_000_000)

/**
 * The value of a text, chunk by chunk: chunks parsed before are not parsed again and return the same object. `undefined` for a text that
 * has to be parsed as a whole, because of its form or an error in it.
 */
export function readChunks(text: string): ChunkedYaml | undefined {
  if (latest?.text !== text) latest = { text, chunked: readAllChunks(text) }
  return latest.chunked
}

/** A text is cut when it is read and again when it is edited; the result of an edit is read before and after it is on disk. */
let latest: { text: string; chunked: ChunkedYaml | undefined } | undefined

function readAllChunks(text: string): ChunkedYaml | undefined {
  const cut = cutSections(text)
  if (!cut) return undefined
  const entries = new Map<string, unknown>()
  for (const { key, text, items } of cut.sections) {
    const value = items ? readItems(items) : readMember(text)
    if (value === undefined || entries.has(key)) return undefined
    entries.set(key, value)
  }
  return { ...cut, value: Object.freeze(Object.fromEntries(entries)) }
}

/** The value of a text as a whole, from memory where it was parsed before. */
export function readValue(text: string): ParsedText | undefined {
  const known = parsed.get(text)
  if (known) return known
  const own = ownCopy(text)
  const result = parseYaml(own)
  if (result.kind === "broken") return undefined
  const read = { text: own, value: result.root.value, anchored: result.anchored }
  parsed.keep(read)
  return read
}

function readItems(items: readonly { text: string }[]): readonly unknown[] | undefined {
  const values = items.map(({ text }) => readMember(text))
  return values.includes(undefined) ? undefined : Object.freeze(values)
}

/** The value of the one key or the one item of a chunk. */
function readMember(text: string): unknown {
  const read = readValue(text)
  if (!read || read.anchored) return undefined
  const members = Object.values(read.value ?? {})
  return members.length === 1 ? members[0] : undefined
}

/** A slice of a string keeps all of that string in memory, and the values that are parsed from it do the same. */
function ownCopy(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string
}

/** Evicts the least recently used entries beyond `limit` characters. */
function keepRecent(limit: number) {
  let recent = new Map<string, ParsedText>()
  let older = new Map<string, ParsedText>()
  let size = 0
  const keep = (read: ParsedText): void => {
    if (size + read.text.length > limit / 2) {
      older = recent
      recent = new Map()
      size = 0
    }
    recent.set(read.text, read)
    size += read.text.length
  }
  const get = (text: string): ParsedText | undefined => {
    const found = recent.get(text)
    if (found) return found
    const old = older.get(text)
    if (old) keep(old)
    return old
  }
  return { get, keep }
}

type OffsetFinder = (path: YamlPath) => number

/** Finds values in a text that can be parsed. Parses it once. */
function offsetFinder(text: string): OffsetFinder {
  const parsed = parseYaml(text)
  if (parsed.kind === "broken") throw new Error("Values can be found only in a text that can be read.")
  return (path) => offsetIn(parsed.root, path)
}

/** Finds values in a text that is split into chunks. Parses chunks on demand, each once. */
function chunkedOffsetFinder({ sections }: SectionedYaml): OffsetFinder {
  const finders = new Map<string, OffsetFinder>()
  const places = placesOf(sections)
  return (path) => {
    const { start, text, rest } = chunkOf(sections, places, path)
    const find = finders.get(text) ?? offsetFinder(text)
    finders.set(text, find)
    return start + find(rest)
  }
}

/** Where a section begins, and each of its items. */
type Place = { start: number; items: number[] }

function placesOf(sections: SectionedYaml["sections"]): Place[] {
  let at = 0
  return sections.map((section) => {
    const start = at + section.before.length
    at = start + section.text.length
    const items = (section.items ?? []).map((item) => {
      const itemStart = at + item.before.length
      at = itemStart + item.text.length
      return itemStart
    })
    return { start, items }
  })
}

/** The chunk that contains a path, where it begins, and the path inside it; without one, the beginning of the first. */
function chunkOf(
  sections: SectionedYaml["sections"],
  places: readonly Place[],
  path: YamlPath,
): { start: number; text: string; rest: YamlPath } {
  const [key, index = 0, ...rest] = path
  const found = sections.findIndex((section) => section.key === key)
  const section = sections[Math.max(found, 0)]
  const place = places[Math.max(found, 0)]
  if (!section || !place) throw new Error("A text without a single key is not cut into chunks.")
  const item = typeof index === "number" ? section.items?.[index] : undefined
  if (!item) return { start: place.start, text: section.text, rest: found === -1 ? [] : path }
  const start = place.items[Number(index)] ?? place.start
  return { start, text: item.text, rest: path.length === 1 ? [] : [0, ...rest] } // a list begins with its first dash
}

/** Of the value at the path, of its key if the value is not written out, otherwise of the nearest parent. */
function offsetIn(root: YamlNode, path: YamlPath): number {
  let node = root
  let offset = root.start
  for (const step of path) {
    const entry = findEntry(node, step)
    if (!entry) break
    node = entry.node
    offset = node.end > (entry.behind ?? 0) ? node.start : entry.start
  }
  return offset
}
