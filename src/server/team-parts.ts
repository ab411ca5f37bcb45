import type { PostgresDriver, TenantScope } from "../disk/postgres/driver.ts"
import { indexMemories } from "../index/postgres/memory-indexer.ts"
import { postgresSession } from "../memories/postgres/postgres-store.ts"
import type { StoreSession } from "../memories/store-methods.ts"
import type { FiguresCache } from "./app/snapshot.ts"
import type { ChangeStream } from "./event-stream.ts"
import type { AuthCache } from "./identity/auth-cache.ts"
import type { Oidc } from "./identity/oidc.ts"
import { type AuditKey, sealAudit } from "./identity/team-audit.ts"
import type { Jobs } from "./jobs/job-queue.ts"
import type { TaskRecorder } from "./memories/task-recorder.ts"
import { type MemoryParts, stepsOn } from "./memories/tenant-store.ts"
import type { ServerMetrics } from "./metrics.ts"
import type { Log } from "./server-log.ts"

/** The dependencies of the routes. */
export type TeamParts = {
  driver: PostgresDriver
  /** Seals audit records. */
  auditKey: AuditKey
  now: () => Date
  version: string
  /** The server's URL, without a trailing slash. */
  publicUrl: string
  passes: AuthCache
  oidc: Oidc | undefined
  memory: MemoryParts
  jobs: Jobs
  live: ChangeStream
  notes: TaskRecorder
  figures: FiguresCache
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
  reach: TenantScope,
): Pick<StoreSession, "read" | "write"> {
  return postgresSession(driver, reach, async (ask) => {
    await stepsOn(ask, sealAudit(auditKey))
    await indexMemories(ask)
  })
}
