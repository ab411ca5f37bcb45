import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** For tests: a path for an index, in a folder that is removed with the test. */
export function newIndexPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-index-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "index", "test.db")
}
