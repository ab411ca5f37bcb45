import { isUtf8 } from "node:buffer"
import { basename, join, relative, resolve, sep } from "node:path"
import { runGit } from "../disk/git.ts"
import { findJsonBreak } from "../disk/json.ts"
import { requireInRepository } from "../disk/safe-paths.ts"
import { decodeText, readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { type Diagnostic, diagnostic, type Severity } from "../formats/diagnostics.ts"
import { type ReadEntry, readEntries } from "../formats/entries.ts"
import { readEntryJson } from "../formats/entry-schema.ts"
import { bodyHash } from "../formats/ids.ts"
import { type Linkable, linkEntries } from "../formats/references.ts"
import { findInPath, findSensitive, sensitiveDiagnostic } from "../governance/redaction.ts"
import { contextOf, readStore, type StoreEntry } from "./team-entries.ts"
import { type EntryFile, entryFileAt, listEntryFiles, readRoster } from "./team-files.ts"
import type { TeamStore } from "./team-folder.ts"

/** One finding with its file; `code` is one of the parser's or of this command. */
export type FileDiagnostic = {
  path: string
  line: number
  code: string
  severity: Severity
  message: string
  entryId?: string
}

export type Validation = { files: number; entries: number; legacy: number; diagnostics: FileDiagnostic[] }

/**
 * A file to check: of the team folder, named by the user, or staged; `read` may throw a `DreyError`. A file without entries,
 * such as a charter or a log, is only checked for forbidden content.
 */
type Document = { path: string; holds: "entries" | "other"; file: EntryFile | undefined; read: () => string }

/** Checks every file of the team folder. */
export async function validateStore(store: TeamStore, now: Date): Promise<Validation> {
  const documents = store.folders.flatMap(listEntryFiles).map(
    (file): Document => ({
      path: file.path,
      holds: "entries",
      file,
      read: () => {
        requireInRepository(file.folder, file.path.slice(file.folder.name.length + 1), file.path)
        return readTextFile(file.absolute, { name: file.path }).text
      },
    }),
  )
  return validate(store, documents, now)
}

/** Checks single files as Markdown or, with the extension `.json`, as JSON entries. Each must contain an entry. */
export async function validateFiles(store: TeamStore, paths: string[], now: Date): Promise<Validation> {
  const documents = paths.map((path): Document => {
    const below = relative(store.root, resolve(path)).split(sep).join("/")
    return { path, holds: "entries", file: entryFileIn(store, below), read: () => readTextFile(path).text }
  })
  return validate(store, documents, now, { mustHoldEntries: true })
}

/** Checks one file without comparing it to the others: fast enough to show a single entry. */
export async function validateAlone(store: TeamStore, path: string, now: Date): Promise<Validation> {
  const file = entryFileIn(store, path)
  const read = () => readTextFile(join(store.root, path), { name: path }).text
  return validate(store, file ? [{ path, holds: "entries", file, read }] : [], now, { alone: true })
}

/** Checks the staged versions of all files of the team folder, as a commit would contain them. */
export async function validateStaged(store: TeamStore, now: Date): Promise<Validation> {
  const top = askStaged(store.root, ["rev-parse", "--show-toplevel"]).toString().trim()
  const fieldsOf = (args: string[]) => askStaged(store.root, args).toString().split("\0").filter(Boolean)
  const staged = fieldsOf(["diff", "--cached", "--name-only", "--diff-filter=d", "-z"])
  const unmerged = new Set(fieldsOf(["ls-files", "-u", "-z"]).map((line) => line.slice(line.indexOf("\t") + 1)))
  const documents = staged.flatMap((name): Document[] => {
    const path = relative(store.root, join(top, name)).split(sep).join("/")
    if (!store.folders.some((folder) => path.startsWith(`${folder.name}/`))) return []
    const file = entryFileIn(store, path)
    const read = () => {
      if (unmerged.has(name)) throw new DreyError(`${path} has an unresolved merge conflict`)
      const bytes = askStaged(store.root, ["cat-file", "blob", `:0:${name}`])
      return file ? decodeText(bytes, path) : anyText(bytes)
    }
    return [{ path, holds: file ? "entries" : "other", file, read }]
  })
  return validate(store, documents, now)
}

async function validate(
  store: TeamStore,
  documents: Document[],
  now: Date,
  options: { mustHoldEntries?: boolean; alone?: boolean } = {},
): Promise<Validation> {
  const result: Validation = {
    files: documents.filter(({ holds }) => holds === "entries").length,
    entries: 0,
    legacy: 0,
    diagnostics: [],
  }
  const roster = readRoster(store)
  const read: ValidatedFile[] = []
  for (const { path, holds, file, read: readText } of documents) {
    try {
      const text = readText()
      result.diagnostics.push(...checkContent(path, text))
      if (holds === "other") continue
      const found = result.diagnostics.length
      if (path.endsWith(".json")) {
        const { entries, diagnostics } = validateJsonText(text)
        result.entries += entries
        result.diagnostics.push(...diagnostics.map((each) => ({ path, ...each })))
        continue
      }
      const context = file
        ? contextOf(file, roster, now)
        : { kind: "decisions" as const, fileName: basename(path), roster, now }
      const { entries, diagnostics } = readEntries(text, context)
      read.push({ path, entries })
      result.diagnostics.push(...diagnostics.map((each) => ({ path, ...each })), ...reportLegacy(path, entries))
      if (options.mustHoldEntries && entries.length === 0 && result.diagnostics.length === found) {
        result.diagnostics.push({
          path,
          line: 1,
          code: "no-entries",
          severity: "error",
          message: `${path} contains no entries.`,
        })
      }
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      result.diagnostics.push(unreadable(path, error.message))
    }
  }
  const all = read.flatMap(({ entries }) => entries)
  result.entries += all.length
  result.legacy = all.filter(({ format }) => format === "legacy").length
  if (!options.alone) result.diagnostics.push(...checkReferences(store, read, now), ...checkVersions(store, read, now))
  result.diagnostics = result.diagnostics.map(withoutSecretPath)
  return result
}

type ValidatedFile = { path: string; entries: ReadEntry[] }

/** The other version of an entry may be in any file. */
function checkVersions(store: TeamStore, read: readonly ValidatedFile[], now: Date): FileDiagnostic[] {
  const own = read.flatMap(({ path, entries }) => entries.map((entry) => ({ ...entry, path })))
  return own.length === 0 ? [] : findTwoVersions(own, otherEntries(store, read, now))
}

function otherEntries(store: TeamStore, read: readonly ValidatedFile[], now: Date): StoreEntry[] {
  const paths = new Set(read.map(({ path }) => resolve(store.root, path)))
  return readStore(store, now, (file) => !paths.has(file.absolute)).entries
}

/** Binary files may contain a secret too. */
function anyText(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString("utf8") : bytes.toString("latin1").replaceAll("\0", "")
}

/** References may point to any file, so all files are read, but only if there is a reference. */
function checkReferences(store: TeamStore, read: readonly ValidatedFile[], now: Date): FileDiagnostic[] {
  const refers = ({ entry }: ReadEntry) =>
    entry.supersedes.length > 0 || entry.supersededBy.length > 0 || entry.related.length > 0
  if (!read.some(({ entries }) => entries.some(refers))) return []
  const others: Linkable[] = otherEntries(store, read, now)
  const pathById = new Map(read.flatMap(({ path, entries }) => entries.map(({ id }) => [id, path] as const)))
  const own = read.flatMap(({ entries }) => entries)
  return linkEntries([...own, ...others]).diagnostics.flatMap(({ id, diagnostic: each }) => {
    const path = pathById.get(id)
    return path === undefined ? [] : [{ path, ...each, entryId: id }]
  })
}

function entryFileIn(store: TeamStore, path: string): EntryFile | undefined {
  const folder = store.folders.find(({ name }) => path.startsWith(`${name}/`))
  return folder && entryFileAt(folder, path.slice(folder.name.length + 1))
}

function unreadable(path: string, message: string): FileDiagnostic {
  const line = /:(\d+) /.exec(message)?.[1]
  // The message already names the file; here its path comes first.
  const sentence = message.startsWith(path) ? `The file${message.slice(path.length).replace(/^:\d+/, "")}` : message
  return { path, line: line ? Number(line) : 1, code: "unreadable", severity: "error", message: sentence }
}

function reportLegacy(path: string, entries: ReadEntry[]): FileDiagnostic[] {
  const legacy = entries.filter((entry) => entry.format === "legacy" && entry.unit === "entry")
  const [first] = legacy
  if (!first) return []
  const noun = legacy.length === 1 ? "entry is" : "entries are"
  const message = `${legacy.length} ${noun} in a legacy format. Preview the conversion with "drey convert-memory --dry-run".`
  return [{ path, ...diagnostic("legacy-entry", first.line, message) }]
}

/** Runs git on the index that is being committed. */
function askStaged(root: string, args: string[]): Buffer {
  const printed = runGit(root, args, { inHook: true })
  if (printed) return printed
  throw new DreyError(`git ${args[0]} failed in ${root}`, { hint: "--staged needs a git repository." })
}

/** Finds forbidden content in a file or its name; reports places and rules, never a value. */
export function checkContent(path: string, text: string): FileDiagnostic[] {
  return [...findInPath(path).found, ...findSensitive(text)].map((each) => ({ path, ...sensitiveDiagnostic(each) }))
}

/** Keeps a secret in a file's name out of the diagnostic. */
function withoutSecretPath(diagnostic: FileDiagnostic): FileDiagnostic {
  const { path, message } = diagnostic
  const { shown } = findInPath(path)
  return shown === path ? diagnostic : { ...diagnostic, path: shown, message: message.replaceAll(path, shown) }
}

/** An entry and its file. */
export type EntryVersion = Pick<ReadEntry, "id" | "line" | "entry" | "format"> & { path: string }

/**
 * Finds ids with different bodies in two files, which result when one branch archived an entry and another edited it.
 * Reported for the entries in `own`; the other version may be in `others`.
 */
function findTwoVersions(own: readonly EntryVersion[], others: readonly EntryVersion[]): FileDiagnostic[] {
  const first = new Map<string, EntryVersion>()
  for (const each of others) if (isNamed(each) && !first.has(idOf(each))) first.set(idOf(each), each)
  return own.filter(isNamed).flatMap((each): FileDiagnostic[] => {
    const id = idOf(each)
    const earlier = first.get(id)
    if (!earlier) first.set(id, each)
    if (!earlier || earlier.path === each.path || bodyHash(earlier.entry) === bodyHash(each.entry)) return []
    const message = `Entry ${id} has a different text at ${earlier.path}:${earlier.line}. Keep one version, or change the title of one.`
    return [{ path: each.path, line: each.line, code: "two-versions", severity: "warning", message, entryId: id }]
  })
}

/** Different legacy entries of one day often share a title. */
function isNamed({ format, entry }: EntryVersion): boolean {
  return format === "sem" || entry.id !== undefined
}

/** The id without the suffix that distinguishes two versions in lists. */
function idOf({ id, entry }: EntryVersion): string {
  return entry.id ?? id.replace(/^(sem-[0-9a-f]{12})-[0-9a-f]{4}$/, "$1")
}

/** Checks a JSON document with one entry or a list of entries. */
export function validateJsonText(text: string): { entries: number; diagnostics: Diagnostic[] } {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    const { line, column } = findJsonBreak(text) // the parser's message would quote the file
    return {
      entries: 0,
      diagnostics: [diagnostic("invalid-field", line, `Invalid JSON at column ${column}.`)],
    }
  }
  const values = Array.isArray(document) ? document : [document]
  const diagnostics = values.flatMap((value, index) =>
    readEntryJson(value).diagnostics.map((each) => ({
      ...each,
      message: values.length > 1 ? `Entry ${index + 1}: ${each.message}` : each.message,
    })),
  )
  return { entries: values.length, diagnostics }
}
