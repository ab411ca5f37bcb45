import { basename } from "node:path"
import type { Roster } from "../formats/legacy/roster.ts"
import { type EntriesFile, type ReadContext, readEntries } from "../formats/read-entries.ts"
import { alreadyStored, type Cleared } from "../governance/cleared.ts"
import { currentText, type FileChange, type Move } from "./change.ts"
import type { StoreFolder } from "./find-store.ts"

/** A team folder as it will be: what nothing was planned for is read from the disk. Paths are below the folder. */
export type Draft = {
  readonly folder: StoreFolder
  /** `null` when the file will not be there. */
  text(path: string): string | null
  put(path: string, text: Cleared | null): void
  /** For a file whose text must not be copied. Nothing else may be planned for either path. */
  move(move: Move): void
  /** In the order in which they can be carried out: what moves is written to its new place first, and removed last. */
  changes(): FileChange[]
  moves(): Move[]
}

/** `isEmpty` is for a folder that will have been moved elsewhere by then: nothing of it is read. */
export function openDraft(folder: StoreFolder, { isEmpty = false } = {}): Draft {
  const textNow = (path: string) => (isEmpty ? null : currentText(folder, path))
  const files = new Map<string, { before: string | null; after: Cleared | null }>()
  const moves: Move[] = []
  return {
    folder,
    text(path) {
      const planned = files.get(path)
      if (planned) return planned.after
      if (moves.some(({ from }) => from === path)) return null
      return textNow(moves.find(({ to }) => to === path)?.from ?? path)
    },
    put(path, after) {
      const planned = files.get(path)
      files.set(path, { before: planned ? planned.before : textNow(path), after })
    },
    move(move) {
      moves.push(move)
    },
    moves: () => moves,
    changes() {
      const changes = [...files].map(([path, { before, after }]) => ({ path, before, after }))
      return changes.filter(({ before, after }) => before !== after).sort((one, other) => turnOf(one) - turnOf(other))
    },
  }
}

function turnOf({ path, after }: FileChange): number {
  if (after === null) return 2
  return /archive/i.test(path) ? 0 : 1
}

/** The entries of a file as it will be; none when it is not there. */
export function readDraft(draft: Draft, path: string, roster: Roster): EntriesFile {
  return readEntries(draft.text(path) ?? "", contextAt(path, roster))
}

/** What the reader must know about a file of a team folder, whether it exists yet or not. */
export function contextAt(path: string, roster: Roster): ReadContext {
  const agent = /^agents\/(?:_alumni\/)?([^/]+)\//.exec(path)?.[1]
  const kind =
    agent !== undefined
      ? "history"
      : /^decisions\/inbox\/|^memory\//.test(path)
        ? "inbox"
        : /archive/i.test(path)
          ? "archive"
          : "decisions"
  return { kind, fileName: basename(path), agent, roster }
}

/** A file that began with a byte order mark still does when its first lines are gone. */
export function keepByteOrderMark(original: string, text: string): Cleared {
  const mark = "\uFEFF"
  return alreadyStored(original.startsWith(mark) && !text.startsWith(mark) ? mark + text : text)
}
