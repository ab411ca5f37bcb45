import type { PostgresDriver, Reach } from "../../disk/postgres/driver.ts"
import { indexMemories } from "../../index/postgres/index-memories.ts"
import { postgresSession } from "../../store/postgres/postgres-session.ts"
import type { StoreSession } from "../../store/store-methods.ts"
import { type MemoryParts, stepsOn } from "../tenant-memory.ts"
import type { KeptFigures } from "./app/kept-figures.ts"
import type { AuditKey } from "./identity/audit-key.ts"
import type { Oidc } from "./identity/oidc.ts"
import type { Passes } from "./identity/passes.ts"
import { sealAudit } from "./identity/team-audit.ts"
import type { Jobs } from "./jobs/jobs.ts"
import type { Live } from "./live.ts"
import type { Log } from "./log.ts"
import type { ServerMetrics } from "./server-metrics.ts"
import type { TaskNotes } from "./task-notes.ts"

/** The dependencies of the routes. */
export type TeamParts = {
  driver: PostgresDriver
  /** Seals audit records. */
  auditKey: AuditKey
  now: () => Date
  version: string
  /** The server's URL, without a trailing slash. */
  publicUrl: string
  passes: Passes
  oidc: Oidc | undefined
  memory: MemoryParts
  jobs: Jobs
  live: Live
  notes: TaskNotes
  figures: KeptFigures
  metrics: ServerMetrics
  /** Trust X-Forwarded-For from the operator's own proxy. */
  isBehindProxy: boolean
  /** Allows reading /metrics from other machines. */
  metricsToken: string | undefined
  log: Log
  /** Whether the database is reachable, its schema is compatible, and the server is not stopping. */
  isReady(): Promise<boolean>
}

/** Reads and writes the rows within reach; a write also seals the audit and updates the index. */
export function rowsOf(
  { driver, auditKey }: Pick<TeamParts, "driver" | "auditKey">,
  reach: Reach,
): Pick<StoreSession, "read" | "write"> {
  return postgresSession(driver, reach, async (ask) => {
    await stepsOn(ask, sealAudit(auditKey))
    await indexMemories(ask)
  })
}
