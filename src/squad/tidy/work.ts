import { DreyError } from "../../errors.ts"
import type { Roster } from "../../formats/legacy/roster.ts"
import type { ReadEntry } from "../../formats/read-entries.ts"
import type { AuditRecord } from "../../governance/audit-chain.ts"
import { type Draft, openDraft, readDraft } from "../draft.ts"
import type { Store, StoreFolder } from "../find-store.ts"
import { listEntryFiles, readRoster } from "../list-files.ts"

/** What a command is about to do, for people and for `--json`. */
export type Action = {
  type: "merge" | "archive" | "compress" | "prune" | "cleanup"
  /** A path below the team folder. */
  target: string
  description: string
  bytesSaved: number
}

/** The desk on which merging, archiving and summarising work: one draft, to which each adds its changes. */
export type Work = {
  store: Store
  draft: Draft
  roster: Roster
  now: Date
  actions: Action[]
  /** Lines of the audit, to be written once the change is made. */
  audit: AuditRecord[]
  /** What was left as it is, and why. */
  notes: string[]
  /** What was to be done and could not be done safely. */
  refused: string[]
}

export function startWork(store: Store, folder: StoreFolder, now: Date): Work {
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
export type PlacedEntry = ReadEntry & { path: string }

/** Every entry of the folder as it will be, but for the inbox. */
export function settledEntries({ draft, roster, notes }: Work): PlacedEntry[] {
  const onDisk = listEntryFiles(draft.folder)
    .filter(({ source }) => source !== "inbox")
    .map(({ path }) => path.slice(draft.folder.name.length + 1))
  const planned = draft.changes().map(({ path }) => path)
  const paths = new Set([...onDisk, ...planned.filter((path) => isEntryFile(path))])
  return [...paths].flatMap((path) => {
    try {
      return readDraft(draft, path, roster).entries.map((entry) => ({ ...entry, path }))
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      if (!notes.includes(error.message)) notes.push(error.message) // the rest of the store is no worse for it
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
