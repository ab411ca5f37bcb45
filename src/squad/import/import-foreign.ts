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

/** Reads what another tool wrote down and puts it into the inbox, one proposal each, for a person or the merge to accept. */
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
  if (entries.length === 0) throw new DreyError(`${path} holds nothing that could be imported as ${format}`)
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

/** Whether a path is one JSON document, as Squad and Drey export: no folder, no Markdown, no JSON lines. */
export function isBundle(path: string): boolean {
  if (!existsSync(path)) throw new DreyError(`${path} does not exist`)
  if (statSync(path).isDirectory()) return false
  return /\.json$/i.test(path) ? !isServerMemory({ path, text: readTextFile(path).text }) : false
}

/** Which tool wrote these files; a JSON document is a bundle and not asked about here. */
export function detectFormat(path: string, files: readonly ForeignFile[]): ForeignFormat {
  if (files.some(isServerMemory)) return "server-memory"
  if (files.some(({ path: name }) => /(?:^|\/)projectbrief\.md$/i.test(name)) || files.every(isClineFile))
    return "cline"
  if (files.some(isAdr)) return "adr"
  if (files.some(({ path: name }) => isRulesFile(name))) return "rules"
  throw new DreyError(`${path} is in no format that Drey knows`, {
    hint: `Name the format: --format ${foreignFormats.join("|")}`,
  })
}

/** The file, or all text below the folder, with paths relative to it. */
function readForeignFiles(path: string): ForeignFile[] {
  if (!existsSync(path)) throw new DreyError(`${path} does not exist`)
  if (!statSync(path).isDirectory()) return [{ path: basename(path), text: readTextFile(path).text }]
  const files = namesBelow(path, "").map((name) => ({ path: name, text: readTextFile(join(path, name)).text }))
  if (files.length === 0) throw new DreyError(`${path} holds no Markdown or JSON lines`)
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

/** The source as it is named in entries: never a path of somebody's machine. */
function originOf(store: Store, path: string): string {
  const below = relative(store.root, resolve(path)).replaceAll("\\", "/")
  const isInside = !below.startsWith("..") && !isAbsolute(below)
  const isFolder = statSync(path).isDirectory()
  const name = isInside ? below : basename(resolve(path))
  return isFolder ? name : name.replace(/(?:^|\/)[^/]*$/, "")
}
