import { readdirSync } from "node:fs"

/** The names in a folder, sorted; a folder that is not there, or may not be looked into, has none. */
export function listFolder(path: string): string[] {
  try {
    return readdirSync(path).sort()
  } catch {
    return [] // another program's folder: it may be missing, closed to us, or vanish meanwhile
  }
}
