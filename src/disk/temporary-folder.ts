import { chmodSync, copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** An empty folder that only this user can enter; the caller removes it. */
export function makeTemporaryFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `drey-${name}-`))
}

export function removeTemporaryFolder(path: string): void {
  rmSync(path, { recursive: true, force: true })
}

export function copyToTemporary(from: string, to: string): void {
  copyFileSync(from, to)
  chmodSync(to, 0o600)
}
