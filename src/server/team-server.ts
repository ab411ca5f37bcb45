import type { Handler, Hono } from "hono"
import type { PostgresDriver } from "../disk/postgres/driver.ts"
import { builtInPolicy, policyForEmbedder } from "../formats/policy.ts"
import { openStaticEmbedder } from "../index/embedders/static-embedder.ts"
import { leastVersion, versionOf } from "../memories/postgres/migrations.ts"
import { boundTokens } from "../recall/token-count.ts"
import { openFiguresCache } from "./app/snapshot.ts"
import { openChangeStream } from "./event-stream.ts"
import { openAuthCache } from "./identity/auth-cache.ts"
import { type OidcSettings, openOidc } from "./identity/oidc.ts"
import type { AuditKey } from "./identity/team-audit.ts"
import { openJobs } from "./jobs/job-runner.ts"
import { openTaskRecorder } from "./memories/task-recorder.ts"
import type { MemoryParts } from "./memories/tenant-store.ts"
import { measuredDriver, openServerMetrics } from "./metrics.ts"
import type { OrganisationLearning } from "./organisation-learning.ts"
import { openRateLimits, type RateOptions } from "./rate-limits.ts"
import { type Log, traceOf } from "./server-log.ts"
import { makeTeamApp } from "./team-app.ts"
import type { TeamParts } from "./team-parts.ts"

export type TeamServerOptions = {
  /** Already migrated; not closed with the server. */
  driver: PostgresDriver
  auditKey: AuditKey
  publicUrl: string
  version: string
  now: () => Date
  log: Log
  oidc?: OidcSettings | undefined
  rates?: Partial<RateOptions>
  /** Whether this process also runs jobs. */
  runsJobs: boolean
  /** How organisations learn from uploaded episodes. */
  learning?: OrganisationLearning | undefined
  isBehindProxy?: boolean
  metricsToken?: string | undefined
  /** Serves the browser app. */
  app?: Handler | undefined
  heartbeatMs?: number
}

export type TeamServer = {
  app: Hono
  parts: TeamParts
  /** Reports "not ready" from now on, but still serves requests. */
  retire(): void
  /** Ends streams and jobs, and flushes pending writes. */
  close(): Promise<void>
}

/** A team server without its listening port. */
export async function openTeamServer(options: TeamServerOptions): Promise<TeamServer> {
  const { auditKey, publicUrl, version, now, log, runsJobs } = options
  const warn = (message: string, error?: unknown) => log("warn", message, error === undefined ? {} : traceOf(error))
  const metrics = openServerMetrics()
  const driver = measuredDriver(options.driver, metrics)
  const memory = openMemoryParts(now, warn)
  const passes = await openAuthCache({ driver, now, warn })
  const { heartbeatMs } = options
  const live = await openChangeStream({
    driver,
    passes,
    metrics,
    warn,
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
  })
  const jobs = await openJobs({ driver, memory, now, warn, metrics, log, learning: options.learning, runs: runsJobs })
  const notes = openTaskRecorder(driver, warn)
  let isRetired = false
  const parts: TeamParts = {
    ...{ driver, auditKey, now, version, publicUrl, passes, memory, jobs, live, notes, metrics, log },
    figures: openFiguresCache({ driver, memory, now }),
    isBehindProxy: options.isBehindProxy ?? false,
    metricsToken: options.metricsToken,
    oidc: options.oidc && openOidc({ ...options.oidc, publicUrl, now }),
    isReady: async () => !isRetired && (await canServeFrom(driver)),
  }
  const limits = openRateLimits({ requestsPerMinute: 1200, signInsPerMinute: 30, ...options.rates })
  return {
    app: makeTeamApp({ ...parts, limits, app: options.app }),
    parts,
    retire() {
      isRetired = true
    },
    async close() {
      await live.close()
      await jobs.close()
      await notes.close()
      await passes.close()
    },
  }
}

function openMemoryParts(now: () => Date, warn: (message: string) => void): MemoryParts {
  const table = openStaticEmbedder()
  if (table.kind === "unavailable") warn(`semantic search is unavailable: ${table.reason}`)
  const embedder = table.kind === "ready" ? table.embedder : undefined
  return {
    embed: embedder && { id: embedder.id, vector: (text) => embedder.embedNow(text) },
    countTokens: boundTokens, // an exact count would take a fifth of the time of a context
    settings: policyForEmbedder(builtInPolicy, embedder?.id).retrieval,
    now,
  }
}

/**
 * A newer schema is fine: a migration only adds, or removes what the previous version no longer uses. An older one is fine if no migration
 * that this version needs is missing.
 */
async function canServeFrom(driver: PostgresDriver): Promise<boolean> {
  try {
    return (await versionOf(driver.ask)) >= leastVersion
  } catch {
    return false // the database is unavailable, so the server is not ready
  }
}
