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
  /** The database's name without secrets; results are stored under it. */
  database: string
  /** A record noted elsewhere. */
  known: AuditHead | undefined
  environment: NodeJS.ProcessEnv
}

/**
 * Verifies an organisation's audit against the key, against the last record of the previous check, and against one noted by the user.
 * The last record of an intact audit is stored on this machine for the next check.
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
  throw new DreyError(`${path} is not a valid record of audit checks`, {
    hint: "Move the file away; the audit is then checked without earlier results.",
  })
}
