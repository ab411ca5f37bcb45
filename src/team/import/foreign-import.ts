import { createHash } from "node:crypto"
import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, isAbsolute, join, relative, resolve } from "node:path"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import type { Entry } from "../../formats/entry.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { cutAtWord } from "../../formats/legacy/summary.ts"
import { isRulesFile } from "../../formats/text.ts"
import { secondOfDay, timestampFromDate } from "../../formats/timestamp.ts"
import { isTransient } from "../../governance/classify.ts"
import { clearText } from "../../governance/cleared.ts"
import type { RefusedPiece } from "../bundle/bundle.ts"
import { applyChange, currentText, type FileChange, withStore } from "../change.ts"
import { readStore } from "../team-entries.ts"
import { requireStore, type StoreFolder, type TeamStore } from "../team-folder.ts"
import { isAdr, readAdrs } from "./adr.ts"
import { type ForeignEntry, type ForeignFile, type ForeignFormat, foreignFormats } from "./foreign-entry.ts"
import { isClineFile, readCline, readRules } from "./rules-files.ts"
import { brokenLines, isServerMemory, readServerMemory } from "./server-memory.ts"

export type ForeignImportOptions = { format?: ForeignFormat; dryRun: boolean }

export type ForeignImport = Omit<Proposals, "changes"> & { kind: "proposals"; format: ForeignFormat }

const readers: Record<ForeignFormat, (files: readonly ForeignFile[]) => ForeignEntry[]> = {
  adr: readAdrs,
  rules: readRules,
  "server-memory": readServerMemory,
  cline: readCline,
}

/** Imports another tool's files into the inbox, one proposal per record, for the user or a merge to accept. */
export async function importForeign(
  store: TeamStore,
  path: string,
  options: ForeignImportOptions,
  now: Date,
): Promise<ForeignImport> {
  const files = readForeignFiles(path)
  const format = options.format ?? detectFormat(path, files)
  const entries = readers[format](files)
  const broken = format === "server-memory" ? brokenLines(files) : []
  if (entries.length === 0) throw new DreyError(`${path} contains nothing to import as ${format}`)
  const folder = requireStore(store).folders[0] as StoreFolder
  const plan = () => proposeEntries(store, folder, { format, from: originOf(store, path), entries }, now)
  const { changes, ...report } = options.dryRun
    ? plan()
    : await withStore(folder, () => {
        const planned = plan()
        applyChange(folder, "import", planned.changes, now)
        return planned
      })
  const from = originOf(store, path)
  const refused = broken.map(({ file, ...rest }) => ({ path: [from, file].filter(Boolean).join("/"), ...rest }))
  return { kind: "proposals", format, ...report, refused: [...refused, ...report.refused] }
}

/** Whether a path is a single JSON document, as Squad and Drey export it. */
export function isBundle(path: string): boolean {
  if (!existsSync(path)) throw new DreyError(`${path} does not exist`)
  if (statSync(path).isDirectory()) return false
  return /\.json$/i.test(path) ? !isServerMemory({ path, text: readTextFile(path).text }) : false
}

/** Detects which tool wrote these files; bundles are handled elsewhere. */
export function detectFormat(path: string, files: readonly ForeignFile[]): ForeignFormat {
  if (files.some(isServerMemory)) return "server-memory"
  if (files.some(({ path: name }) => /(?:^|\/)projectbrief\.md$/i.test(name)) || files.every(isClineFile))
    return "cline"
  if (files.some(isAdr)) return "adr"
  if (files.some(({ path: name }) => isRulesFile(name))) return "rules"
  throw new DreyError(`Could not detect the format of ${path}`, {
    hint: `Pass the format: --format ${foreignFormats.join("|")}`,
  })
}

/** The file, or all text below the folder, with paths relative to it. */
function readForeignFiles(path: string): ForeignFile[] {
  if (!existsSync(path)) throw new DreyError(`${path} does not exist`)
  if (!statSync(path).isDirectory()) return [{ path: basename(path), text: readTextFile(path).text }]
  const files = namesBelow(path, "").map((name) => ({ path: name, text: readTextFile(join(path, name)).text }))
  if (files.length === 0) throw new DreyError(`${path} contains no Markdown or JSON lines files`)
  return files
}

function namesBelow(folder: string, below: string): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((item) => {
      const name = `${below}${item.name}`
      if (item.isDirectory())
        return /^(?:\.git|\.squad|\.ai-team|node_modules)$/.test(item.name) ? [] : namesBelow(folder, `${name}/`)
      return item.isFile() && /\.(?:md|jsonl)$/i.test(item.name) ? [name] : []
    })
}

/** The name of the source in entries: never an absolute path of this machine. */
function originOf(store: TeamStore, path: string): string {
  const below = relative(store.root, resolve(path)).replaceAll("\\", "/")
  const isInside = !below.startsWith("..") && !isAbsolute(below)
  const isFolder = statSync(path).isDirectory()
  const name = isInside ? below : basename(resolve(path))
  return isFolder ? name : name.replace(/(?:^|\/)[^/]*$/, "")
}

export type ImportedProposal = { id: string; type: string; title: string; path: string; from: string }

type Proposals = {
  changes: FileChange[]
  proposed: ImportedProposal[]
  /** Ids that an earlier import already added. */
  known: string[]
  refused: RefusedPiece[]
}

type ForeignSource = { format: ForeignFormat; from: string; entries: readonly ForeignEntry[] }

/** Plans an inbox file for each record of another tool, after the governance check, with its origin. */
function proposeEntries(store: TeamStore, folder: StoreFolder, source: ForeignSource, now: Date): Proposals {
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
  source: ForeignSource,
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
function idOf({ format, from }: ForeignSource, key: string): string {
  const hash = createHash("sha256").update(`${format}\n${from}\n${key}`).digest("hex")
  return `${format}-${hash.slice(0, 12)}`
}
