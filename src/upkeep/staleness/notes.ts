import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { sha256 } from "../../disk/sha256.ts"
import { makeFolder, writeFileAtomic } from "../../disk/write-file-atomic.ts"
import type { JudgedItem, JudgedName } from "./verdict.ts"

/** What the words of an item are told by. */
export type ItemWords = { id: string; title: string; text: string }

/** `path`, from the root, is looked at once more when the note is given. */
type Note = { words: string; path?: string }
type NotesFile = { format: 1; stamp: string; at: number; notes: Record<string, { hash: string; names: Note[] }> }

const mostNamed = 2
/** The order in which they are named: a file that is gone explains more than a symbol that went with it. */
const kinds = ["path", "command", "symbol"]

/**
 * The note that an item gets in a context when it names something moved or gone. Reads what was found out before, and finds out nothing:
 * whoever asks has no time. A note on other words than the item has now, or on a path that is there again, is not given.
 */
export function openNotes(path: string, root: string): (item: ItemWords) => string | undefined {
  let known: { look: string; file: NotesFile | undefined } | undefined
  const read = (): NotesFile | undefined => {
    const status = statSync(path, { throwIfNoEntry: false })
    const look = status ? `${status.mtimeMs} ${status.size} ${status.ino}` : ""
    if (known?.look !== look) known = { look, file: status && readNotes(path) }
    return known.file
  }
  return (item) => {
    const notes = read()?.notes
    const note = notes && Object.hasOwn(notes, item.id) ? notes[item.id] : undefined
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
    return item && lost.length > 0 ? [[id, { hash: hashOf(item), names: lost.map(toNote) }] as const] : []
  })
  makeFolder(dirname(path), 0o700)
  const file: NotesFile = { format: 1, ...about, notes: Object.fromEntries(notes) }
  writeFileAtomic(path, JSON.stringify(file), { mode: 0o600, derived: true })
}

/** When the notes were last made, in milliseconds, and of what; undefined where there are none. */
export function lookAtNotes(path: string): { stamp: string; at: number } | undefined {
  return statSync(path, { throwIfNoEntry: false }) ? readNotes(path) : undefined
}

function toNote({ words, path }: JudgedName): Note {
  return path === undefined ? { words } : { words, path }
}

function readNotes(path: string): NotesFile | undefined {
  try {
    const file: NotesFile = JSON.parse(readFileSync(path, "utf8"))
    return file.format === 1 ? file : undefined
  } catch {
    return undefined // torn by a power cut, or not ours to read: it is made anew the next time
  }
}

function hashOf({ title, text }: ItemWords): string {
  return sha256(`${title}\n${text}`).slice(0, 16)
}
