import { type CutText, cutSections } from "./cut-sections.ts"
import { parseYaml } from "./parse-yaml.ts"

/** A text cut into chunks that were all parsed by themselves. */
export type ChunkedYaml = CutText & { value: Record<string, unknown> }

/** `anchored`: holds anchors, so it may not be taken apart. */
type ParsedText = { text: string; value: unknown; anchored: boolean }

/** Some 40 files of the largest size a session file should have. */
const parsed = keepRecent(4_000_000)

/**
 * The value of a text, chunk by chunk: what was parsed before is not parsed again, and is the very same object. `undefined` for a
 * text that has to be parsed as a whole, because of its form or because something is wrong with it.
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

/** Lets go of what was not used lately where there would be more than `limit` characters. */
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
