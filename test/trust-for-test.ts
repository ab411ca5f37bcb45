import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findStore } from "../src/team/team-folder.ts"
import { makeRecord, type TrustRecord } from "../src/trust.ts"

/** For tests: the user of this home has trusted the repository, whose rules at the first session they know. */
export function trustForTest(home: string, root: string): void {
  const path = join(home, "trust.json")
  const record = makeRecord(findStore(root, home), { at: "2026-01-01T00:00:00.000Z", rules: null })
  const { repositories: known = [] } = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {}
  const repositories = [...known.filter((each: TrustRecord) => each.path !== record.path), record]
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(path, JSON.stringify({ version: 1, repositories, hinted: [] }), {
    mode: 0o600,
  })
}

/** The file that says so. */
export function findTrustFile(home: string): string {
  return join(home, "trust.json")
}
