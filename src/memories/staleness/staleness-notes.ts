import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeFolder, writeFileAtomic } from "../../disk/atomic-write.ts"
import { sha256 } from "../../disk/hash.ts"
import type { JudgedItem, JudgedName } from "./name-verdict.ts"

/** An item, identified by its text for a note. */
export type NotedItem = { id: string; title: string; text: string }

/** `path`, relative to the root, is checked again when the note is shown. */
type Note = { hash: string; names: { words: string; path?: string }[] }

/** The first line of the file; every other line is an array of an item's id and note, parsed on demand. */
type NotesHead = { format: 1; stamp: string; at: number }

const mostNamed = 2
/** Display order: a missing file explains more than a symbol that went with it. */
const kinds = ["path", "command", "symbol"]

/**
 * The note shown with an item in a context when it names something moved or gone. Reads cached results only, because
 * the caller has no time. Skips notes for an earlier text of the item, and paths that exist again.
 */
export function openNotes(path: string, root: string): (item: NotedItem) => string | undefined {
  let known: { look: string; text: string } | undefined
  const read = (): string => {
    const status = statSync(path, { throwIfNoEntry: false })
    const look = status ? `${status.mtimeMs} ${status.size} ${status.ino}` : ""
    if (known?.look !== look) known = { look, text: status ? readNotes(path) : "" }
    return known.text
  }
  return (item) => {
    const note = noteIn(read(), item.id)
    if (!note || note.hash !== hashOf(item)) return undefined
    const names = note.names.filter(({ path }) => path === undefined || !existsSync(join(root, path)))
    if (names.length === 0) return undefined
    const more = names.length - mostNamed
    const shown = names.slice(0, mostNamed).map(({ words }) => words)
    return `Checked by Drey: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`
  }
}

/** Writes the notes for all items that name something moved or gone. */
export function writeNotes(
  path: string,
  about: { stamp: string; at: number },
  items: readonly NotedItem[],
  judged: readonly JudgedItem[],
): void {
  const words = new Map(items.map((item) => [item.id, item]))
  const notes = judged.flatMap(({ id, names }) => {
    const item = words.get(id)
    const lost = names
      .filter(({ verdict }) => verdict.state === "gone" || verdict.state === "moved")
      .sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind))
    return item && lost.length > 0 ? [[id, { hash: hashOf(item), names: lost.map(namedIn) } satisfies Note]] : []
  })
  makeFolder(dirname(path), 0o700)
  const head: NotesHead = { format: 1, ...about }
  const lines = [head, ...notes].map((line) => `${JSON.stringify(line)}\n`)
  writeFileAtomic(path, lines.join(""), { mode: 0o600, derived: true })
}

/** When the notes were last written, in milliseconds, and their stamp; undefined if there are none. */
export function notesHead(path: string): { stamp: string; at: number } | undefined {
  return statSync(path, { throwIfNoEntry: false }) ? headIn(readNotes(path)) : undefined
}

function namedIn({ words, path }: JudgedName): Note["names"][number] {
  return path === undefined ? { words } : { words, path }
}

/** The text of the file; "" if it is not in this format. */
function readNotes(path: string): string {
  try {
    const text = readFileSync(path, "utf8")
    return headIn(text)?.format === 1 && text.endsWith("\n") ? text : ""
  } catch {
    return "" // damaged by a power cut, or unreadable: it is rebuilt next time
  }
}

function headIn(text: string): NotesHead | undefined {
  return text === "" ? undefined : JSON.parse(text.slice(0, text.indexOf("\n") + 1))
}

function noteIn(text: string, id: string): Note | undefined {
  const start = text.indexOf(`\n[${JSON.stringify(id)},`)
  if (start < 0) return undefined
  const [, note]: [string, Note] = JSON.parse(text.slice(start + 1, text.indexOf("\n", start + 1)))
  return note
}

function hashOf({ title, text }: NotedItem): string {
  return sha256(`${title}\n${text}`).slice(0, 16)
}
