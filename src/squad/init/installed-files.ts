import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { StoreFolder } from "../find-store.ts"

/** The hash of each file as Drey installed it, by path: a file that still has it was not changed by anyone. */
export type InstalledFiles = Record<string, string>

export const installedPath = ".drey/installed.json"

/** What Drey remembers to have installed in this clone; nothing, when the record is missing or damaged. */
export function readInstalled(folder: StoreFolder): InstalledFiles {
  const path = join(folder.path, installedPath)
  if (!existsSync(path)) return {}
  try {
    const record: unknown = JSON.parse(readFileSync(path, "utf8"))
    const files = record !== null && typeof record === "object" && "files" in record ? record.files : undefined
    if (files === null || typeof files !== "object") return {}
    return Object.fromEntries(Object.entries(files).filter(([, hash]) => typeof hash === "string"))
  } catch {
    return {} // without the record, files count as changed by people, and are kept
  }
}

export function writeInstalled(files: InstalledFiles): string {
  const sorted = Object.fromEntries(Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1)))
  return `${JSON.stringify({ version: 1, files: sorted }, null, 2)}\n`
}

/** Git may check a file out with other line ends; that is no change of it. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex")
}
