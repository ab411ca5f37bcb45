import { existsSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { parseJson } from "../../disk/json.ts"
import { safePath } from "../../disk/safe-paths.ts"
import { readTextFile, settingsBytes } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { isRecord } from "../../formats/objects.ts"
import { generated } from "../../governance/cleared.ts"
import { applyChange, currentText, withStore } from "../change.ts"
import { requireStore, type StoreFolder, type TeamStore } from "../team-folder.ts"

const settingsFile = "config.json"
const mostSources = 50

/**
 * Markdown files of the repository that agents read by themselves and that searches find too, such as AGENTS.md:
 * `drey.sources` in the project's settings. Nothing of them is in a context.
 */
export function indexedSources({ folders: [folder] }: Pick<TeamStore, "folders">): string[] {
  if (!folder || !existsSync(join(folder.path, settingsFile))) return []
  try {
    return sourcesIn(readTextFile(join(folder.path, settingsFile), { maxBytes: settingsBytes }).text)
  } catch (error) {
    if (error instanceof DreyError) return [] // `check` reports unreadable settings
    throw error
  }
}

function sourcesIn(text: string): string[] {
  const settings = parseJson(text, settingsFile)
  const own = isRecord(settings) && isRecord(settings.drey) ? settings.drey.sources : undefined
  if (!Array.isArray(own)) return []
  return own.filter((each): each is string => typeof each === "string" && /\.mdc?$/i.test(each)).slice(0, mostSources)
}

/** Adds a file to the sources that are searched; false if it already was one. */
export async function addIndexedSource(
  store: TeamStore,
  path: string,
  now: Date,
): Promise<{ path: string; isNew: boolean }> {
  const name = relative(store.root, path).replaceAll("\\", "/")
  if (name.startsWith("..") || !existsSync(path)) throw new DreyError(`${path} is not a file of this repository`)
  if (!/\.mdc?$/i.test(name)) throw new DreyError(`${basename(path)} is not a Markdown file`)
  safePath(store.root, name)
  const folder = requireStore(store).folders[0] as StoreFolder
  return withStore(folder, () => {
    const before = currentText(folder, settingsFile)
    const known = sourcesIn(before ?? "{}")
    if (known.includes(name)) return { path: name, isNew: false }
    const settings = parseJson(before ?? "{}", settingsFile)
    if (!isRecord(settings)) throw new DreyError(`${folder.name}/${settingsFile} is not a JSON object`)
    const drey = { ...(isRecord(settings.drey) ? settings.drey : {}), sources: [...known, name] }
    const after = generated(`${JSON.stringify({ ...settings, drey }, null, 2)}\n`)
    applyChange(folder, "index", [{ path: settingsFile, before, after }], now)
    return { path: name, isNew: true }
  })
}
