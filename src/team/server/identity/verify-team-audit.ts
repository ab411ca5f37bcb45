import { existsSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { dreyHome } from "../../../config.ts"
import { parseJson } from "../../../disk/parse-json.ts"
import type { PostgresDriver } from "../../../disk/postgres/driver.ts"
import { readTextFile } from "../../../disk/read-text-file.ts"
import { makeFolder, writeFileAtomic } from "../../../disk/write-file-atomic.ts"
import { DreyError } from "../../../errors.ts"
import { postgresSession } from "../../../store/postgres/postgres-session.ts"
import { readAuditKeys } from "./audit-key.ts"
import { wholeOf } from "./caller.ts"
import { type AuditFinding, type AuditHead, checkAudit } from "./team-audit.ts"

export type AuditVerifying = {
  slug: string
  /** Which database it is, by a name without secrets: what was found is remembered by it. */
  database: string
  /** A line that was noted elsewhere. */
  known: AuditHead | undefined
  environment: NodeJS.ProcessEnv
}

/**
 * Checks the audit of an organisation against the key, against the line that was last when it was checked before, and against one that
 * somebody has noted. What is intact is remembered on this machine, for the next time.
 */
export async function verifyTeamAudit(driver: PostgresDriver, verifying: AuditVerifying): Promise<AuditFinding> {
  const { slug, database, known, environment } = verifying
  const home = dreyHome(environment)
  const path = join(home, "team-audit-heads.json")
  const heads = readHeads(path)
  const name = `${database} ${slug}`
  const before = heads[name]
  const lines = [before, known].filter((head) => head !== undefined)
  const keys = readAuditKeys(environment)
  const finding = await postgresSession(driver, wholeOf(slug)).read(() => checkAudit(keys, lines))
  if (finding.kind === "intact" && finding.head && finding.head.seq !== before?.seq) {
    makeFolder(home, 0o700)
    writeFileAtomic(path, `${JSON.stringify({ ...heads, [name]: finding.head }, null, 2)}\n`, { mode: 0o600 })
  }
  return finding
}

const savedHeads = z.record(z.string(), z.object({ seq: z.number().int(), hash: z.string() }))

function readHeads(path: string): Record<string, AuditHead> {
  if (!existsSync(path)) return {}
  const read = savedHeads.safeParse(parseJson(readTextFile(path).text, path))
  if (read.success) return read.data
  throw new DreyError(`${path} is not what drey team verify-audit writes`, {
    hint: "Move it away: the audit is then checked without what was known of it.",
  })
}
