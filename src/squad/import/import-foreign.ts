import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, isAbsolute, join, relative, resolve } from "node:path"
import { readTextFile } from "../../disk/read-text-file.ts"
import { DreyError } from "../../errors.ts"
import { applyChange, withStore } from "../change.ts"
import { requireStore, type Store, type StoreFolder } from "../find-store.ts"
import { isAdr, readAdrs } from "./adr.ts"
import { isClineFile, readCline } from "./cline.ts"
import { type ForeignEntry, type ForeignFile, type ForeignFormat, foreignFormats } from "./foreign-entry.ts"
import { type Proposals, proposeEntries } from "./propose-entries.ts"
import { isRulesFile, readRules } from "./rules.ts"
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
  store: Store,
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
function originOf(store: Store, path: string): string {
  const below = relative(store.root, resolve(path)).replaceAll("\\", "/")
  const isInside = !below.startsWith("..") && !isAbsolute(below)
  const isFolder = statSync(path).isDirectory()
  const name = isInside ? below : basename(resolve(path))
  return isFolder ? name : name.replace(/(?:^|\/)[^/]*$/, "")
}
