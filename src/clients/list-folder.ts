import { readdirSync } from "node:fs"

/** The names in a folder, sorted; empty if the folder is missing or not readable. */
export function listFolder(path: string): string[] {
  try {
    return readdirSync(path).sort()
  } catch {
    return [] // another program's folder: it may be missing, not accessible, or removed meanwhile
  }
}
