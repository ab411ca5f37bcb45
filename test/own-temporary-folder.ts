import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** All tests of a run share a temporary folder. What is left in it at the end is a leak, which fails the run. */
export function setup(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "drey-")))
  chmodSync(folder, 0o1777) // like the system's own: PostgreSQL and some tests run as another user
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder
  return () => {
    const left = readdirSync(folder, { recursive: true, encoding: "utf8" })
    rmSync(folder, { recursive: true, force: true })
    if (left.length === 0) return
    console.error(`Left in the temporary folder by tests:\n${left.toSorted().slice(0, 50).join("\n")}`)
    process.exitCode = 1
  }
}
