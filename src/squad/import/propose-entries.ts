import { createHash } from "node:crypto"
import type { Entry } from "../../formats/entry.ts"
import { cutAtWord } from "../../formats/legacy/summarize.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { secondOfDay, timestampFromDate } from "../../formats/timestamp.ts"
import { writeEntry } from "../../formats/write-entry.ts"
import { clearText } from "../../governance/cleared.ts"
import { isTransient } from "../../governance/detect-transient.ts"
import type { Refusal } from "../bundle/clear-file.ts"
import type { FileChange } from "../change.ts"
import { currentText } from "../change.ts"
import type { Store, StoreFolder } from "../find-store.ts"
import { readStore } from "../read-store.ts"
import type { ForeignEntry, ForeignFormat } from "./foreign-entry.ts"

export type Proposal = { id: string; type: string; title: string; path: string; from: string }

export type Proposals = {
  changes: FileChange[]
  proposed: Proposal[]
  /** Ids that an earlier import already added. */
  known: string[]
  refused: Refusal[]
}

type Source = { format: ForeignFormat; from: string; entries: readonly ForeignEntry[] }

/** Plans an inbox file for each record of another tool, after the governance check, with its origin. */
export function proposeEntries(store: Store, folder: StoreFolder, source: Source, now: Date): Proposals {
  const present = new Set(readStore(store, now).entries.map(({ id }) => id))
  const plan: Proposals = { changes: [], proposed: [], known: [], refused: [] }
  const supersededBy = new Map<string, string[]>()
  for (const { key, supersedes } of source.entries)
    for (const older of supersedes) supersededBy.set(older, [...(supersededBy.get(older) ?? []), key])
  for (const [index, foreign] of source.entries.entries()) {
    const id = idOf(source, foreign.key)
    const from = [source.from, foreign.file].filter(Boolean).join("/")
    if (present.has(id)) {
      plan.known.push(id)
      continue
    }
    const newer = (supersededBy.get(foreign.key) ?? []).map((key) => idOf(source, key))
    const entry = toEntry(
      foreign,
      { id, from, newer, format: source.format },
      source,
      new Date(now.getTime() + index * 1000),
    )
    const clearing = clearText(writeEntry(entry))
    if (clearing.kind === "refused" || isTransient(foreign.details ?? foreign.title)) {
      const reason = clearing.kind === "refused" ? clearing.reason : "transient CI/PR status"
      plan.refused.push({ path: from, line: foreign.line, id, reason })
      continue
    }
    present.add(id)
    const path = `decisions/inbox/import-${id}.md`
    plan.changes.push({ path, before: currentText(folder, path), after: clearing.text })
    plan.proposed.push({ id, type: entry.type, title: entry.title, path: `${folder.name}/${path}`, from })
  }
  return plan
}

function toEntry(
  foreign: ForeignEntry,
  { id, from, newer, format }: { id: string; from: string; newer: string[]; format: ForeignFormat },
  source: Source,
  now: Date,
): Entry {
  const [author = "unknown", ...contributors] = foreign.authors
  const when = foreign.date
    ? { timestamp: secondOfDay(foreign.date, 0), precision: "day" as const }
    : { timestamp: timestampFromDate(now) }
  return normalizeEntry({
    ...when,
    id,
    type: foreign.type,
    author,
    contributors,
    title: cutAtWord(foreign.title.replace(/\s+/g, " ").trim()),
    scope: foreign.type === "memory" || foreign.type === "note" ? "project" : "team",
    tags: foreign.tags,
    ...(foreign.details ? { details: foreign.details } : {}),
    ...(foreign.rationale ? { rationale: foreign.rationale } : {}),
    supersedes: foreign.supersedes.map((key) => idOf(source, key)),
    supersededBy: newer,
    ...(foreign.review === undefined ? {} : { review: foreign.review }),
    extensions: [
      { name: "origin", value: format },
      { name: "originFile", value: `${from}:${foreign.line}` },
      ...foreign.extensions,
    ],
  })
}

/** Stable for the same source, so that importing again adds only new records. */
function idOf({ format, from }: Source, key: string): string {
  const hash = createHash("sha256").update(`${format}\n${from}\n${key}`).digest("hex")
  return `${format}-${hash.slice(0, 12)}`
}
