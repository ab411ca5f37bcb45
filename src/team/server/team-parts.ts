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

/** What the routes work with; whoever opens the server hands everything in. */
export type TeamParts = {
  driver: PostgresDriver
  /** Seals the lines of the audit. */
  auditKey: AuditKey
  now: () => Date
  version: string
  /** Where browsers and clients find it, without a slash at its end. */
  publicUrl: string
  passes: Passes
  oidc: Oidc | undefined
  memory: MemoryParts
  jobs: Jobs
  live: Live
  notes: TaskNotes
  figures: KeptFigures
  metrics: ServerMetrics
  /** Behind a proxy of one's own the address that it names is the caller's. */
  isBehindProxy: boolean
  /** Lets somebody read the figures from elsewhere. */
  metricsToken: string | undefined
  log: Log
  /** Whether requests are to come here: the database answers, its tables are those that are known, and nobody has asked to stop. */
  isReady(): Promise<boolean>
}

/** The rows of one organisation, as far as somebody's reach goes: a snapshot to read, a transaction to write, the index in it. */
export function rowsOf(
  { driver, auditKey }: Pick<TeamParts, "driver" | "auditKey">,
  reach: Reach,
): Pick<StoreSession, "read" | "write"> {
  return postgresSession(driver, reach, async (ask) => {
    await stepsOn(ask, sealAudit(auditKey))
    await indexMemories(ask)
  })
}
