import { execFileSync } from "node:child_process"
import { basename, join, relative, resolve, sep } from "node:path"
import { readTextFile } from "../disk/read-text-file.ts"
import { DreyError } from "../errors.ts"
import { type Diagnostic, diagnostic, type Severity } from "../formats/diagnostics.ts"
import { type ReadContext, type ReadEntry, readEntries } from "../formats/read-entries.ts"
import { linkEntries } from "../formats/references.ts"
import type { Store } from "./find-store.ts"
import { type EntryFile, listEntryFiles, readRoster } from "./list-files.ts"
import { readStore } from "./read-store.ts"

/** One finding with its file; `code` is a reader's code, or `unreadable` or `no-entries` for the file as a whole. */
export type FileDiagnostic = {
  path: string
  line: number
  code: string
  severity: Severity
  message: string
  entryId?: string
}

export type Validation = { files: number; entries: number; legacy: number; diagnostics: FileDiagnostic[] }

/** Checks every file of the store, references across files included. */
export function validateStore(store: Store, now: Date): Validation {
  const { files, entries, diagnostics, unreadable } = readStore(store, now)
  const found: FileDiagnostic[] = unreadable.map(({ path, message }) => unreadableFile(path, message))
  for (const { path, diagnostic: each } of diagnostics) found.push({ path, ...each })
  for (const { path, read } of files) found.push(...reportLegacy(path, read.entries))
  return {
    files: files.length + unreadable.length,
    entries: entries.length,
    legacy: entries.filter(({ format }) => format === "legacy").length,
    diagnostics: found,
  }
}

/** Checks single files, as Markdown or, with the ending `.json`, as entries in their JSON form. References stay within the file. */
export async function validateFiles(store: Store, paths: string[], now: Date): Promise<Validation> {
  const known = new Map(store.folders.flatMap(listEntryFiles).map((file) => [file.absolute, file]))
  const result: Validation = { files: 0, entries: 0, legacy: 0, diagnostics: [] }
  for (const path of paths) {
    const absolute = resolve(path)
    try {
      const { text } = readTextFile(absolute)
      await validateText(store, path, text, known.get(absolute), now, result)
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      result.diagnostics.push(unreadableFile(path, error.message))
    }
    result.files++
  }
  return result
}

/** Checks the staged state of the store's files: what a commit would contain, not what the folder holds. */
export async function validateStaged(store: Store, now: Date): Promise<Validation> {
  const result: Validation = { files: 0, entries: 0, legacy: 0, diagnostics: [] }
  const known = new Map(store.folders.flatMap(listEntryFiles).map((file) => [file.path, file]))
  const top = runGit(store.root, ["rev-parse", "--show-toplevel"]).trim()
  const staged = runGit(store.root, ["diff", "--cached", "--name-only", "--diff-filter=d", "-z"])
    .split("\0")
    .filter(Boolean)
  for (const name of staged) {
    const path = relative(store.root, join(top, name)).split(sep).join("/")
    const file = known.get(path)
    if (!file) continue
    await validateText(store, path, runGit(store.root, ["show", `:${name}`]), file, now, result)
    result.files++
  }
  return result
}

async function validateText(
  store: Store,
  path: string,
  text: string,
  file: EntryFile | undefined,
  now: Date,
  result: Validation,
): Promise<void> {
  if (path.endsWith(".json")) {
    const { validateJsonText } = await import("./validate-json.ts")
    const { entries, diagnostics } = validateJsonText(text)
    result.entries += entries
    result.diagnostics.push(...diagnostics.map((each) => ({ path, ...each })))
    return
  }
  const context: ReadContext = {
    kind: file?.kind ?? "decisions",
    fileName: basename(path),
    agent: file?.agent,
    roster: readRoster(store),
    now,
  }
  const { entries, diagnostics } = readEntries(text, context)
  const links = linkEntries(entries).diagnostics.map(
    ({ id, diagnostic: each }): Diagnostic => ({ ...each, entryId: id }),
  )
  result.entries += entries.length
  result.legacy += entries.filter(({ format }) => format === "legacy").length
  result.diagnostics.push(
    ...[...diagnostics, ...links].map((each) => ({ path, ...each })),
    ...reportLegacy(path, entries),
  )
  if (entries.length === 0)
    result.diagnostics.push({
      path,
      line: 1,
      code: "no-entries",
      severity: "error",
      message: "The file holds no entries.",
    })
}

function unreadableFile(path: string, message: string): FileDiagnostic {
  const line = /:(\d+) /.exec(message)?.[1]
  return { path, line: line ? Number(line) : 1, code: "unreadable", severity: "error", message }
}

function reportLegacy(path: string, entries: ReadEntry[]): FileDiagnostic[] {
  const legacy = entries.filter((entry) => entry.format === "legacy" && entry.unit === "entry")
  const [first] = legacy
  if (!first) return []
  const noun = legacy.length === 1 ? "entry is" : "entries are"
  return [
    {
      path,
      ...diagnostic(
        "legacy-entry",
        first.line,
        `${legacy.length} ${noun} in a legacy style; "drey convert-memory --dry-run" shows what SEM makes of them.`,
      ),
    },
  ]
}

function runGit(root: string, args: string[]): string {
  try {
    return execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 256 * 1024 * 1024,
      stdio: ["ignore", "pipe", "pipe"],
    })
  } catch (cause) {
    throw new DreyError(`git ${args[0]} failed in ${root}`, { cause, hint: "--staged needs a git repository." })
  }
}
