import { readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { type ReadContext, readEntries } from "../formats/entries.ts"
import type { Roster } from "../formats/legacy/roster.ts"
import { dominantLineEnd, splitLines } from "../formats/source-text.ts"
import { alreadyStored } from "../governance/cleared.ts"
import { findInPath, findSensitive, type Sensitive, scrubText } from "../governance/redaction.ts"
import { applyChange, type FileChange, type RecordedChange, withStore } from "./change.ts"
import { contextOf } from "./team-entries.ts"
import { listEntryFiles, listExcludedFiles, listTeamFiles, readRoster, type TeamFile } from "./team-files.ts"
import type { StoreFolder, TeamStore } from "./team-folder.ts"

/** Sensitive content in a team folder, and whether scrubbing replaces it. Never contains the value. */
export type ScrubFinding = Sensitive & { path: string; outcome: "replaced" | "left" }

export type ScrubPlan = {
  findings: ScrubFinding[]
  /** Findings in conversion backups, which are not changed. */
  inBackups: { path: string; findings: number }[]
  /** Audit lines would change, which the audit verification will report. */
  touchesAudit: boolean
  unreadable: { path: string; message: string }[]
  /** The older folder beside `.squad`, which is read-only: findings there are not replaced. */
  leftAlone: StoreFolder["name"] | undefined
  changes: { folder: StoreFolder; files: FileChange[] }[]
}

/** Finds secrets and personal data in all files, and plans to replace them with marks. Writes nothing. */
export function planScrub(store: TeamStore): ScrubPlan {
  const leftAlone = store.folders[1]?.name
  const plan: ScrubPlan = { findings: [], inBackups: [], touchesAudit: false, unreadable: [], leftAlone, changes: [] }
  const roster = readRoster(store)
  for (const folder of store.folders) {
    const files: FileChange[] = []
    for (const file of listTeamFiles(folder)) {
      const change = planFile(file, roster, plan)
      if (change) files.push(change)
    }
    for (const file of listExcludedFiles(folder, "sessions")) lookInto(file, plan)
    for (const file of listExcludedFiles(folder, "backups")) {
      const findings = findSensitive(readText(file, plan) ?? "").filter(({ kind }) => kind !== "other").length
      if (findings > 0) plan.inBackups.push({ path: findInPath(file.shown).shown, findings })
    }
    if (folder.name !== plan.leftAlone && files.length > 0) plan.changes.push({ folder, files })
  }
  plan.touchesAudit = plan.changes.some(({ files }) => files.some(({ path }) => /^memory\/audit.*\.jsonl$/.test(path)))
  return plan
}

/** Writes the plan as one undoable change. */
export async function applyScrub(plan: ScrubPlan, now: Date): Promise<RecordedChange[]> {
  const done: RecordedChange[] = []
  for (const { folder, files } of plan.changes) {
    const change = await withStore(folder, () => applyChange(folder, "scrub", files, now))
    if (change) done.push(change)
  }
  return done
}

function planFile(file: TeamFile, roster: Roster, plan: ScrubPlan): FileChange | undefined {
  const name = findInPath(file.shown)
  for (const each of name.found) plan.findings.push({ ...each, path: name.shown, outcome: "left" })
  const text = readText(file, plan)
  if (text === undefined) return undefined
  const found = findSensitive(text)
  if (found.length === 0) return undefined
  const scrubbed = pinned(file, text, scrubText(text), roster)
  const writable = scrubbed === text || !isBroken(file, text, scrubbed)
  for (const each of found) {
    const outcome = writable && each.kind !== "other" && file.folder.name !== plan.leftAlone ? "replaced" : "left"
    plan.findings.push({ ...each, path: name.shown, outcome })
  }
  if (!writable || scrubbed === text) return undefined
  return { path: file.path, before: text, after: alreadyStored(scrubbed) }
}

/** Session files are only scanned: they may be in use, and a misplaced mark would break them. */
function lookInto(file: TeamFile, plan: ScrubPlan): void {
  const { shown } = findInPath(file.shown)
  for (const each of findSensitive(readText(file, plan) ?? "")) {
    if (each.kind !== "other") plan.findings.push({ ...each, path: shown, outcome: "left" })
  }
}

/** An entry keeps its id when its title or author is redacted. */
function pinned(file: TeamFile, before: string, after: string, roster: Roster): string {
  const entryFile = listEntryFiles(file.folder).find(({ path }) => path === file.shown)
  return entryFile && after !== before ? pinIds(before, after, contextOf(entryFile, roster)) : after
}

/** A misplaced mark would make a JSON file unreadable; then the user has to fix it by hand. */
function isBroken(file: TeamFile, before: string, after: string): boolean {
  if (file.path.endsWith(".json")) return isJson(before) && !isJson(after)
  if (!file.path.endsWith(".jsonl")) return false
  const good = (text: string) => text.split("\n").filter((line) => line.trim() !== "" && isJson(line)).length
  return good(after) < good(before)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // a result, not a failure
  }
}

function readText(file: TeamFile, plan: ScrubPlan): string | undefined {
  try {
    return readTextFile(file.absolute).text
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    const { shown } = findInPath(file.shown)
    plan.unreadable.push({ path: shown, message: error.message.replaceAll(file.shown, shown) })
    return undefined
  }
}

/**
 * Writes the old id into every SEM entry whose title or author was rewritten, so that references to it stay valid. Returns
 * the text unchanged if the entries of both texts cannot be matched by their order.
 */
function pinIds(before: string, after: string, context: ReadContext): string {
  const old = readEntries(before, context).entries
  const entries = readEntries(after, context).entries
  if (old.length !== entries.length) return after
  const lineEnd = dominantLineEnd(after)
  let pinned = after
  for (const [index, entry] of [...entries.entries()].reverse()) {
    const id = old[index]?.id
    if (entry.format !== "sem" || id === undefined || entry.id === id || entry.entry.id !== undefined) continue
    const at = placeOfId(after, entry.line, entry.endLine)
    pinned = `${pinned.slice(0, at)}**id:** ${id}  ${lineEnd}${pinned.slice(at)}`
  }
  const result = readEntries(pinned, context).entries
  return result.length === entries.length ? pinned : after
}

/** The id goes after the last of these fields. */
const fieldsBefore = /^\*\*(?:type|timestamp|author|by|contributors|scope|tags|supersedes|supersededBy|expires):\*\*/i

function placeOfId(text: string, line: number, endLine: number): number {
  const { lines, starts } = splitLines(text)
  let place = line
  for (let index = line; index < endLine; index++) {
    const current = lines[index] ?? ""
    if (fieldsBefore.test(current)) place = index + 1
    else if (current.trim() !== "") break
  }
  return starts[place] ?? text.length
}
