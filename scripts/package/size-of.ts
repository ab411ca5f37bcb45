import { lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"

/** The bytes of a file, or of all files in a folder; links are not followed. */
export function sizeOf(path: string): number {
  const status = lstatSync(path)
  if (!status.isDirectory()) return status.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}
