import { basename } from "node:path"
import { DreyError } from "../errors.ts"
import { type EntriesFile, type ReadContext, type ReadEntry, readEntries } from "../formats/entries.ts"
import type { Roster } from "../formats/legacy/roster.ts"
import type { AuditRecord } from "../governance/audit.ts"
import { alreadyStored, type Cleared } from "../governance/cleared.ts"
import { currentText, type FileChange, type FileMove } from "./change.ts"
import { listEntryFiles, readRoster } from "./team-files.ts"
import type { StoreFolder, TeamStore } from "./team-folder.ts"

/** A planned action of a command, for the user and for `--json`. */
export type TidyAction = {
  type: "merge" | "archive" | "compress" | "prune" | "cleanup"
  /** A path below the team folder. */
  target: string
  description: string
  bytesSaved: number
}

/** The shared plan of merging, archiving and summarizing: one draft to which each step adds its changes. */
export type ChangePlan = {
  store: TeamStore
  draft: Draft
  roster: Roster
  now: Date
  actions: TidyAction[]
  /** Audit lines to write after the change was made. */
  audit: AuditRecord[]
  /** What was skipped, and why. */
  notes: string[]
  /** Requested changes that could not be made safely. */
  refused: string[]
}

export function startPlan(store: TeamStore, folder: StoreFolder, now: Date): ChangePlan {
  return {
    store,
    draft: openDraft(folder),
    roster: readRoster(store),
    now,
    actions: [],
    audit: [],
    notes: [],
    refused: [],
  }
}

/** An entry with the path of its file below the team folder. */
export type PlannedEntry = ReadEntry & { path: string }

/** Every entry of the folder with the planned changes, except the inbox; with `only`, of the files whose text it accepts. */
export function settledEntries(
  { draft, roster, notes }: ChangePlan,
  only: (text: string) => boolean = () => true,
): PlannedEntry[] {
  const onDisk = listEntryFiles(draft.folder)
    .filter(({ source }) => source !== "inbox")
    .map(({ path }) => path.slice(draft.folder.name.length + 1))
  const planned = draft.changes().map(({ path }) => path)
  const paths = new Set([...onDisk, ...planned.filter((path) => isEntryFile(path))])
  return [...paths].flatMap((path) => {
    try {
      if (!only(draft.text(path) ?? "")) return []
      return readDraft(draft, path, roster).entries.map((entry) => ({ ...entry, path }))
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      if (!notes.includes(error.message)) notes.push(error.message) // continue with the other files
      return []
    }
  })
}

function isEntryFile(path: string): boolean {
  return /^(?:decisions[^/]*\.md|decisions\/(?!inbox\/).*\.md|agents\/.*\/history[^/]*\.md)$/i.test(path)
}

export function bytesOf(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text)
}

/** Planned changes of a team folder, laid over the files on disk. Paths are below the folder. */
export type Draft = {
  readonly folder: StoreFolder
  /** `null` if the file will not exist. */
  text(path: string): string | null
  put(path: string, text: Cleared | null): void
  /** Moves a file whose text must not be copied. Nothing else may be planned for either path. */
  move(move: FileMove): void
  /** In the order to apply them: moved text is written to its new file first and removed from the old one last. */
  changes(): FileChange[]
  moves(): FileMove[]
}

/** With `isEmpty` nothing is read from disk, because the folder will have been moved away. */
export function openDraft(folder: StoreFolder, { isEmpty = false } = {}): Draft {
  const textNow = (path: string) => (isEmpty ? null : currentText(folder, path))
  const files = new Map<string, { before: string | null; after: Cleared | null }>()
  const moves: FileMove[] = []
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

/** The entries of a file with the planned changes; none if it does not exist. Parsed once per text. */
export function readDraft(draft: Draft, path: string, roster: Roster): EntriesFile {
  const text = draft.text(path) ?? ""
  const known = parsed.get(draft) ?? new Map<string, { text: string; read: EntriesFile }>()
  parsed.set(draft, known)
  const last = known.get(path)
  if (last?.text === text) return last.read
  const read = readEntries(text, contextAt(path, roster))
  known.set(path, { text, read })
  return read
}

const parsed = new WeakMap<Draft, Map<string, { text: string; read: EntriesFile }>>()

/** The parse context of a file in a team folder; the file need not exist. */
export function contextAt(path: string, roster: Roster): ReadContext {
  const agent = /^agents\/(?:_alumni\/)?([^/]+)\//.exec(path)?.[1]
  const kind =
    agent !== undefined
      ? "history"
      : path.startsWith("skills/")
        ? "skill"
        : /^decisions\/inbox\/|^memory\//.test(path)
          ? "inbox"
          : /archive/i.test(path)
            ? "archive"
            : "decisions"
  return { kind, fileName: basename(path), agent, roster }
}

/** Keeps the byte order mark when the first lines are removed. */
export function keepByteOrderMark(original: string, text: string): Cleared {
  const mark = "\uFEFF"
  return alreadyStored(original.startsWith(mark) && !text.startsWith(mark) ? mark + text : text)
}

/** The path, with a number appended if the draft already has such a file. */
export function freePath(draft: Draft, path: string): string {
  for (let number = 1; ; number++) {
    const free = number === 1 ? path : path.replace(/(\.md)?$/i, `-${number}$1`)
    if (draft.text(free) === null) return free
  }
}
