import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { agentOfScope, agentScope, type Entry, titleLimit } from "../../formats/entry.ts"
import { appendEntries } from "../../formats/entry-placing.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { derivedId } from "../../formats/ids.ts"
import { namesIn } from "../../formats/legacy/roster.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { truncate } from "../../formats/text.ts"
import { type AuditRecord, appendAudit } from "../../governance/audit.ts"
import { alreadyStored, generated } from "../../governance/cleared.ts"
import { type ChangePlan, contextAt } from "../change-plan.ts"
import { freeSecond } from "../governed/agent-history.ts"
import { auditPlaceOf, auditTitle, readMemoryConfig } from "../governed/governed-context.ts"
import { classOfType, loadIndex } from "../governed/load-index.ts"
import { isOutdated } from "../governed/memory-index.ts"
import type { StoreFolder } from "../team-folder.ts"
import type { MergeProposal, Placement, Quarantined } from "./proposals.ts"

/** Plans the audit line of a merged entry. It names the entry's new file, not its inbox file. */
export function noteMerged(work: ChangePlan, { entry }: MergeProposal, placement: Placement): void {
  const path = (placement.kind === "copy" ? placement.path : undefined) ?? "decisions.md"
  const reason = placement.kind === "copy" ? "Merged from the inbox: the team had it already" : "Merged from the inbox"
  const beginsAlike = entry.summary.startsWith(entry.title) || entry.title.startsWith(entry.summary)
  work.audit.push({
    timestamp: work.now.toISOString(),
    action: "write",
    id: placement.id,
    class: classOfType[entry.type],
    // A title derived from the content counts as content.
    title: auditTitle(beginsAlike ? undefined : entry.title, "Merged governed memory"),
    path: `${work.draft.folder.name}/${path}`,
    reason,
    actor: auditTitle(entry.author, "unknown"),
    provider: "local",
  })
}

export function noteQuarantined(work: ChangePlan, { to, lines }: Quarantined): void {
  work.audit.push({
    timestamp: work.now.toISOString(),
    action: "reject",
    class: "FORBIDDEN",
    title: "Rejected governed memory",
    path: `${work.draft.folder.name}/${to}`,
    reason: `Rejected as forbidden memory: ${lines[0]?.reason ?? "forbidden content"}`,
    provider: "local",
  })
}

/** Writes the planned audit lines. Call it under the team folder's lock, after the change was made. */
export function writeAudit(folder: StoreFolder, records: readonly AuditRecord[]): void {
  if (records.length === 0) return
  const place = auditPlaceOf(folder, readMemoryConfig(folder).config)
  for (const record of records) appendAudit(place, record)
}

const path = "memory/index.json"

/** A governed memory that was merged into another file: its new file, and its id there. */
type MovedMemory = { memoryId: string | undefined; from: string; to: string; anchor: string }

/** Updates the paths in the index of governed memory, so that merged entries are still found by their ids. */
export function updateIndex(work: ChangePlan, moved: readonly MovedMemory[]): void {
  const { folder: place } = work.draft
  const mayHaveRecord = ({ memoryId, from }: MovedMemory) =>
    memoryId !== undefined || existsSync(join(place.path, from))
  if (!moved.some(mayHaveRecord)) return // planned in this change
  const store = { root: dirname(place.path), home: place.home, folders: [place] }
  const text = isOutdated(place) ? null : work.draft.text(path)
  const records = text === null ? loadIndex(store, place, work.now).records : parseRecords(text)
  if (!records) {
    work.notes.push(`${path} is damaged and was not updated. Run "drey memory reindex" to rebuild it.`)
    return
  }
  const folder = place.name
  const byPath = new Map(moved.map((each) => [`${folder}/${each.from}`, each]))
  const byId = new Map(moved.map((each) => [each.memoryId, each]))
  let changed = false
  const updated = records.map((record) => {
    const own = String(record.path ?? "").replaceAll("\\", "/")
    const found = byPath.get(own) ?? byId.get(String(record.id))
    if (!found || record.status === "deleted") return record
    changed = true
    const updatedAt = work.now.toISOString()
    return { ...record, path: `${folder}/${found.to}`, anchor: found.anchor, updatedAt }
  })
  if (changed) work.draft.put(path, generated(`${JSON.stringify(updated, null, 2)}\n`))
}

function parseRecords(text: string): Record<string, unknown>[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isList = Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null)
    return isList ? (value as Record<string, unknown>[]) : undefined
  } catch {
    return undefined // reported by the caller
  }
}

/** Adds a note about each new entry to the histories of the agents named in its scope or text. */
export function notifyAgents(work: ChangePlan, entries: readonly Entry[]): string[] {
  const told: string[] = []
  for (const entry of entries) {
    for (const { agent, path, after } of updatesFor(work, entry)) {
      work.draft.put(path, alreadyStored(after))
      if (!told.includes(agent)) told.push(agent)
    }
  }
  return told
}

/** The agents that a new entry names, and their histories without and with the note about it. */
export function updatesFor(
  work: ChangePlan,
  entry: Entry,
): { agent: string; path: string; before: string; after: string }[] {
  return agentsNamed(work, entry).map((agent) => {
    const path = `agents/${agent}/history.md`
    const before = work.draft.text(path) ?? ""
    const lineEnd = dominantLineEnd(before)
    const start = before === "" ? `# History${lineEnd}${lineEnd}## Learnings${lineEnd}` : before
    const note = normalizeEntry({
      type: "note",
      timestamp: freeSecond(start, work.now),
      author: entry.author,
      title: truncate(`Team update: ${entry.title}`, titleLimit),
      summary: entry.summary,
      scope: agentScope(agent),
      tags: ["team-update"],
      related: [{ type: "decision", identifier: entry.id ?? derivedId(entry) }],
    })
    const after = appendEntries(start, [writeEntry(note, { lineEnd })], contextAt(path, work.roster))
    return { agent, path, before, after }
  })
}

function agentsNamed({ draft, roster }: ChangePlan, entry: Entry): string[] {
  const text = [entry.title, entry.summary, entry.details ?? "", entry.rationale ?? ""].join("\n")
  const names = new Set(namesIn(text, roster).map((name) => name.toLowerCase()))
  const inScope = agentOfScope(entry.scope)
  if (inScope) names.add(inScope)
  names.delete(entry.author.toLowerCase()) // the author knows already
  return [...names].filter((name) => existsSync(join(draft.folder.path, "agents", name))).sort()
}
