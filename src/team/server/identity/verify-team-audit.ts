import type { PostgresDriver } from "../../../disk/postgres/driver.ts"
import { rowsOf } from "../team-parts.ts"
import { wholeOf } from "./caller.ts"
import { findBrokenAudit } from "./team-audit.ts"

/** The first line of an organisation's audit that is not what was written; undefined when all are. */
export function verifyTeamAudit(driver: PostgresDriver, slug: string): Promise<number | undefined> {
  return rowsOf({ driver }, wholeOf(slug)).read(findBrokenAudit)
}
