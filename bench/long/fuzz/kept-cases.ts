import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sha256 } from "../../../src/disk/hash.ts"

/** Every input that has ever failed, for ever; `test/fuzz.test.ts` has each read again. */
export const caseFolder = join("test", "fuzz-cases")

export function keepCase(root: string, reader: string, input: Buffer): string {
  const path = join(caseFolder, reader, `${sha256(input).slice(0, 12)}.input`)
  mkdirSync(join(root, caseFolder, reader), { recursive: true })
  writeFileSync(join(root, path), input)
  return path
}

export function readCases(root: string, reader: string): { path: string; input: Buffer }[] {
  const folder = join(root, caseFolder, reader)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((name) => ({ path: join(caseFolder, reader, name), input: readFileSync(join(folder, name)) }))
}
