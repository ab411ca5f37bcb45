import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { createAdaptorServer } from "@hono/node-server"
import type { Handler } from "hono"
import type { PostgresDriver, RunQuery } from "../disk/postgres/driver.ts"
import { codeOf } from "../disk/text-files.ts"
import { DreyError, exitCode } from "../errors.ts"
import { checkTenancy } from "../memories/postgres/tenancy.ts"
import { isLoopback } from "./authentication.ts"
import { type DatabasePlace, migrateTeam, withDatabase } from "./database.ts"
import type { OidcSettings } from "./identity/oidc.ts"
import { makeOrganisation } from "./identity/organisations.ts"
import type { AuditKey } from "./identity/team-audit.ts"
import type { OrganisationLearning } from "./organisation-learning.ts"
import { openLog, type ServerLogLevel } from "./server-log.ts"
import { openTeamServer } from "./team-server.ts"

export type TeamServeOptions = {
  database: DatabasePlace
  /** Seals audit records; all servers of a database need the same key. */
  auditKey: AuditKey
  listen: { host: string; port: number }
  /** The URL that browsers and clients use; defaults to the listening address. */
  publicUrl: string | undefined
  /** Created if missing; undefined creates "team" on the first start. */
  organisation: string | undefined
  /** The first owner's email address. */
  ownerEmail: string
  migrates: boolean
  runsJobs: boolean
  /** How long it still serves after SIGTERM, so that load balancers notice. */
  drainMs: number
  logLevel: ServerLogLevel
  oidc: OidcSettings | undefined
  requestsPerMinute: number | undefined
  learning: OrganisationLearning | undefined
  isBehindProxy: boolean
  metricsToken: string | undefined
  version: string
  app: Handler
  /** Called with the URL and, if an organisation was created, its owner's link. */
  onReady(ready: { url: string; ownerLink: string | undefined }): void
}

const mostConnections = 10_000

/** Serves team memory until SIGINT or SIGTERM; a second signal exits at once. */
export function runTeamServer(options: TeamServeOptions): Promise<void> {
  return withDatabase(options.database, (driver) => serve(driver, options))
}

async function serve(driver: PostgresDriver, options: TeamServeOptions): Promise<void> {
  const now = () => new Date()
  const log = openLog(options.logLevel, now, (line) => process.stderr.write(line))
  const isNew = options.migrates && (await migrateTeam(driver)).from === 0
  await requireTenantIsolation(driver.ask)
  let fetch = async (_request: Request, _environment: unknown) => new Response(null, { status: 503 })
  const http = createAdaptorServer({
    fetch: (request, environment) => fetch(request, environment),
    serverOptions: { connectionsCheckingInterval: 2000 }, // enforces the timeouts below every 2 s instead of every 30 s
  }) as Server
  http.maxConnections = mostConnections
  http.headersTimeout = 10_000
  http.requestTimeout = 30_000 // limits slow clients
  const port = await listen(http, options.listen)
  const publicUrl = options.publicUrl ?? `http://${hostOf(options.listen.host)}:${port}`
  if (publicUrl.startsWith("http:") && !isLoopback(options.listen.host) && options.listen.host !== "localhost")
    log("warn", "tokens are sent unencrypted: put a TLS proxy in front and pass --public-url https://…")
  const { auditKey, version, runsJobs, oidc, learning, isBehindProxy, metricsToken, requestsPerMinute, app } = options
  const server = await openTeamServer({
    ...{ driver, auditKey, publicUrl, version, now, log, oidc, learning, runsJobs, isBehindProxy, metricsToken, app },
    ...(requestsPerMinute === undefined ? {} : { rates: { requestsPerMinute } }),
  })
  fetch = async (request, environment) => server.app.fetch(request, environment as object)
  const slug = options.organisation ?? (isNew ? "team" : undefined)
  const made = slug && { slug, name: slug, email: options.ownerEmail, now: now() }
  const link = made && (await makeOrganisation({ driver, auditKey }, made))
  const isToStop = untilSignal()
  options.onReady({ url: publicUrl, ownerLink: link && `${publicUrl}/join#${link}` })
  log("info", "serving", { url: publicUrl, jobs: runsJobs })
  await isToStop
  log("info", "stopping", { drain: options.drainMs / 1000 })
  server.retire()
  await pause(options.drainMs)
  const isClosed = new Promise((resolve) => http.close(resolve))
  http.closeIdleConnections()
  const sweep = setInterval(() => http.closeIdleConnections(), 100) // connections that have become idle since
  const isEnded = await Promise.race([server.close().then(() => true), pause(longestEndMs, false, { ref: false })])
  if (!isEnded) log("warn", "pending work did not end in time") // the database may be unavailable
  http.closeAllConnections()
  await isClosed
  clearInterval(sweep)
  log("info", "stopped")
}

/** Jobs get the first twenty seconds of these to finish. */
const longestEndMs = 25_000

function hostOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost"
  return host.includes(":") ? `[${host}]` : host
}

async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(port, host, () => {
        server.off("error", reject)
        resolve()
      })
    })
    return (server.address() as AddressInfo).port
  } catch (error) {
    const problem = problems[codeOf(error) ?? ""]
    if (problem === undefined) throw error
    throw new DreyError(`${host}:${port} ${problem}`, { hint: "Choose another with --listen.", exitCode: exitCode.no })
  }
}

const problems: Record<string, string> = {
  EADDRINUSE: "is in use",
  EACCES: "cannot be used without permission",
  EADDRNOTAVAIL: "is not an address of this machine",
  ENOTFOUND: "is not an address of this machine",
}

/** A second signal exits at once. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isTold = false
    const hear = () => {
      if (isTold) process.exit(exitCode.no)
      isTold = true
      resolve()
    }
    for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, hear)
  })
}

/** Refuses a database without tables, or whose row-level security no longer isolates organisations. */
async function requireTenantIsolation(ask: RunQuery): Promise<void> {
  const { rows } = await ask("SELECT to_regclass('drey.organisations') IS NOT NULL AS \"isThere\"")
  if (!rows[0]?.isThere)
    throw new DreyError("the database has no Drey tables", { hint: "Create them with: drey team migrate" })
  const faults = await checkTenancy(ask)
  if (faults.length === 0) return
  throw new DreyError(`the database does not isolate organisations: ${faults.join("; ")}`, {
    hint: "Its row-level security was changed. Revert that, or restore a backup into a new database.",
    exitCode: exitCode.no,
  })
}
