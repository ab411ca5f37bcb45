import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** Writes a file, and the folders above it. */
export function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
