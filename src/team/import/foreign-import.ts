import { createHash } from "node:crypto"
import { statSync } from "node:fs"
import { basename, dirname, isAbsolute, relative, resolve } from "node:path"
import { DreyError } from "../../errors.ts"
import type { Entry } from "../../formats/entry.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { cutAtWord } from "../../formats/legacy/summary.ts"
import { secondOfDay, timestampFromDate } from "../../formats/timestamp.ts"
import { isTransient } from "../../governance/classify.ts"
import { clearText } from "../../governance/cleared.ts"
import type { RefusedPiece } from "../bundle/bundle.ts"
import { applyChange, currentText, type FileChange, withStore } from "../change.ts"
import { readStore } from "../team-entries.ts"
import { requireStore, type StoreFolder, type TeamStore } from "../team-folder.ts"
import { readDecisionCommits } from "./decision-commits.ts"
import type { ForeignEntry, ForeignFormat } from "./foreign-entry.ts"
import { type ForeignSource, type ReadMem0, readForeignSource } from "./foreign-sources.ts"

export type ForeignImportOptions = { format?: ForeignFormat; dryRun: boolean; readMem0: ReadMem0 }

export type ForeignImport = Omit<Proposals, "changes"> &
  Pick<ForeignSource, "format" | "skipped"> & { kind: "proposals" }

/** Imports another tool's files into the inbox, one proposal per record, for the user or a merge to accept. */
export async function importForeign(
  store: TeamStore,
  path: string,
  { format: asked, dryRun, readMem0 }: ForeignImportOptions,
  now: Date,
): Promise<ForeignImport> {
  const { format, entries, broken, skipped } = isHistory(path)
    ? await readDecisionCommits(dirname(resolve(path)))
    : readForeignSource(path, asked, { root: store.root, readMem0 })
  if (entries.length === 0) throw new DreyError(`${path} contains nothing to import as ${format}`)
  const folder = requireStore(store).folders[0] as StoreFolder
  const plan = () => proposeEntries(store, folder, { format, from: originOf(store, path), entries }, now)
  const { changes, ...report } = dryRun
    ? plan()
    : await withStore(folder, () => {
        const planned = plan()
        applyChange(folder, "import", planned.changes, now)
        return planned
      })
  const from = originOf(store, path)
  const refused = broken.map(({ file, ...rest }) => ({ path: [from, file].filter(Boolean).join("/"), ...rest }))
  return { kind: "proposals", format, skipped, ...report, refused: [...refused, ...report.refused] }
}

/** The repository's history is named by its folder. */
function isHistory(path: string): boolean {
  return basename(path) === ".git"
}

/** The name of the source in entries: never an absolute path of this machine. */
function originOf(store: TeamStore, path: string): string {
  const below = relative(store.root, resolve(path)).replaceAll("\\", "/")
  const isInside = !below.startsWith("..") && !isAbsolute(below)
  const isFolder = isHistory(path) || statSync(path).isDirectory() // in a worktree it is a file
  const name = isInside ? below : basename(resolve(path))
  return isFolder ? name : name.replace(/(?:^|\/)[^/]*$/, "")
}

/** `line` and `section` are its place in the source. */
export type ImportedProposal = {
  id: string
  type: string
  title: string
  path: string
  from: string
  line: number
  section?: string
}

type Proposals = {
  changes: FileChange[]
  proposed: ImportedProposal[]
  /** Ids that an earlier import already added. */
  known: string[]
  refused: RefusedPiece[]
}

type Origin = { format: ForeignFormat; from: string; entries: readonly ForeignEntry[] }

/** Plans an inbox file for each record of another tool, after the governance check, with its origin. */
function proposeEntries(store: TeamStore, folder: StoreFolder, source: Origin, now: Date): Proposals {
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
    const section = foreign.extensions.find(({ name }) => name === "section")?.value
    plan.proposed.push({
      id,
      type: entry.type,
      title: entry.title,
      path: `${folder.name}/${path}`,
      from,
      line: foreign.line,
      ...(section === undefined ? {} : { section }),
    })
  }
  return plan
}

function toEntry(
  foreign: ForeignEntry,
  { id, from, newer, format }: { id: string; from: string; newer: string[]; format: ForeignFormat },
  source: Origin,
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
function idOf({ format, from }: Origin, key: string): string {
  const hash = createHash("sha256").update(`${format}\n${from}\n${key}`).digest("hex")
  return `${format}-${hash.slice(0, 12)}`
}
