import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { sha256 } from "../../disk/sha256.ts"
import { makeFolder, writeFileAtomic } from "../../disk/write-file-atomic.ts"
import type { JudgedItem, JudgedName } from "./verdict.ts"

/** What the words of an item are told by. */
export type ItemWords = { id: string; title: string; text: string }

/** `path`, from the root, is looked at once more when the note is given. */
type Note = { hash: string; names: { words: string; path?: string }[] }

/** The first line of the file; each of the others is an array of an item's id and its note, and only those asked for are parsed. */
type NotesHead = { format: 1; stamp: string; at: number }

const mostNamed = 2
/** The order in which they are named: a file that is gone explains more than a symbol that went with it. */
const kinds = ["path", "command", "symbol"]

/**
 * The note that an item gets in a context when it names something moved or gone. Reads what was found out before, and finds out nothing:
 * whoever asks has no time. A note on other words than the item has now, or on a path that is there again, is not given.
 */
export function openNotes(path: string, root: string): (item: ItemWords) => string | undefined {
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

/** Keeps the notes on all items that name something moved or gone. */
export function writeNotes(
  path: string,
  about: { stamp: string; at: number },
  items: readonly ItemWords[],
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

/** When the notes were last made, in milliseconds, and of what; undefined where there are none. */
export function lookAtNotes(path: string): { stamp: string; at: number } | undefined {
  return statSync(path, { throwIfNoEntry: false }) ? headIn(readNotes(path)) : undefined
}

function namedIn({ words, path }: JudgedName): Note["names"][number] {
  return path === undefined ? { words } : { words, path }
}

/** The text of the file; "" where it is none that this function's like wrote. */
function readNotes(path: string): string {
  try {
    const text = readFileSync(path, "utf8")
    return headIn(text)?.format === 1 && text.endsWith("\n") ? text : ""
  } catch {
    return "" // torn by a power cut, or not ours to read: it is made anew the next time
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

function hashOf({ title, text }: ItemWords): string {
  return sha256(`${title}\n${text}`).slice(0, 16)
}
