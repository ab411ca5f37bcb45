import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** For tests: where an index may be made, in a folder that goes with the test. */
export function newIndexPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-index-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "index", "test.db")
}
