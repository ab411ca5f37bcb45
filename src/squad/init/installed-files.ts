import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { writePrivateFile } from "../../disk/write-file-atomic.ts"
import type { StoreFolder } from "../find-store.ts"
import { stateFolder } from "../state-folder.ts"

/** Hashes of each file as Drey installed it, by path: a file with one of them was not edited by the user, even after `undo`. */
export type InstalledFiles = Record<string, string[]>

/** The files that Drey installed in this clone; empty if the record is missing or damaged. */
export function readInstalled(folder: StoreFolder): InstalledFiles {
  const path = installedPath(folder)
  if (!existsSync(path)) return {}
  try {
    const record: unknown = JSON.parse(readFileSync(path, "utf8"))
    const files = record !== null && typeof record === "object" && "files" in record ? record.files : undefined
    if (files === null || typeof files !== "object") return {}
    return Object.fromEntries(Object.entries(files).filter(([, hashes]) => Array.isArray(hashes)))
  } catch {
    return {} // without the record, files count as edited by the user and are kept
  }
}

/** Call it under the team folder's lock. */
export function writeInstalled(folder: StoreFolder, files: InstalledFiles): void {
  const sorted = Object.fromEntries(Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1)))
  writePrivateFile(installedPath(folder), `${JSON.stringify({ version: 1, files: sorted }, null, 2)}\n`)
}

export function noteInstalled(files: InstalledFiles, { path, text }: { path: string; text: string }): void {
  files[path] = [...new Set([...(files[path] ?? []), hashOf(text)])]
}

/** Ignores line ends, which git may change on checkout. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex")
}

function installedPath(folder: StoreFolder): string {
  return join(stateFolder(folder), "installed.json")
}
