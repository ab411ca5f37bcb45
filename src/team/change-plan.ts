import { DreyError } from "../errors.ts"
import type { ReadEntry } from "../formats/entries.ts"
import type { Roster } from "../formats/legacy/roster.ts"
import type { AuditRecord } from "../governance/audit.ts"
import { type Draft, openDraft, readDraft } from "./draft.ts"
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
