import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { createAdaptorServer } from "@hono/node-server"
import type { Handler } from "hono"
import { codeOf } from "../../disk/file-error.ts"
import type { PostgresDriver } from "../../disk/postgres/driver.ts"
import { DreyError, exitCode } from "../../errors.ts"
import type { AuditKey } from "./identity/audit-key.ts"
import { makeOrganisation } from "./identity/make-organisation.ts"
import type { OidcSettings } from "./identity/oidc.ts"
import { isLoopback } from "./is-loopback.ts"
import { type LogLevel, openLog } from "./log.ts"
import { migrateTeam } from "./migrate-team.ts"
import { openTeamServer } from "./open-team-server.ts"
import { requireApartness } from "./require-apartness.ts"
import { type DatabasePlace, withDatabase } from "./with-database.ts"

export type TeamServeOptions = {
  database: DatabasePlace
  /** Seals the lines of the audit; all servers of a database need the same. */
  auditKey: AuditKey
  listen: { host: string; port: number }
  /** Where browsers and clients find it; undefined: where it listens. */
  publicUrl: string | undefined
  /** Made if it is not there; undefined: "team", on the first start alone. */
  organisation: string | undefined
  /** The address of the first owner. */
  ownerEmail: string
  migrates: boolean
  runsJobs: boolean
  /** How long it goes on serving after it was told to stop, so that others notice. */
  drainMs: number
  logLevel: LogLevel
  oidc: OidcSettings | undefined
  requestsPerMinute: number | undefined
  isBehindProxy: boolean
  metricsToken: string | undefined
  version: string
  app: Handler
  /** Told where it serves, and, when an organisation was made, the link for its first owner. */
  onReady(ready: { url: string; ownerLink: string | undefined }): void
}

const mostConnections = 10_000

/** Serves team memory until a signal; a second one ends the process the hard way. */
export function runTeamServer(options: TeamServeOptions): Promise<void> {
  return withDatabase(options.database, (driver) => serve(driver, options))
}

async function serve(driver: PostgresDriver, options: TeamServeOptions): Promise<void> {
  const now = () => new Date()
  const log = openLog(options.logLevel, now, (line) => process.stderr.write(line))
  const isNew = options.migrates && (await migrateTeam(driver)).from === 0
  await requireApartness(driver.ask)
  let fetch = async (_request: Request, _environment: unknown) => new Response(null, { status: 503 })
  const http = createAdaptorServer({
    fetch: (request, environment) => fetch(request, environment),
    serverOptions: { connectionsCheckingInterval: 2000 }, // how often the limits below are looked at: by default every 30 s
  }) as Server
  http.maxConnections = mostConnections
  http.headersTimeout = 10_000
  http.requestTimeout = 30_000 // who sends slowly holds up nobody for longer
  const port = await listen(http, options.listen)
  const publicUrl = options.publicUrl ?? `http://${hostOf(options.listen.host)}:${port}`
  if (publicUrl.startsWith("http:") && !isLoopback(options.listen.host) && options.listen.host !== "localhost")
    log("warn", "tokens travel unencrypted: put TLS in front of it, and name it with --public-url https://…")
  const { auditKey, version, runsJobs, oidc, isBehindProxy, metricsToken, requestsPerMinute, app } = options
  const server = await openTeamServer({
    ...{ driver, auditKey, publicUrl, version, now, log, oidc, runsJobs, isBehindProxy, metricsToken, app },
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
  const sweep = setInterval(() => http.closeIdleConnections(), 100) // those that have just been answered
  const isEnded = await Promise.race([server.close().then(() => true), pause(longestEndMs, false, { ref: false })])
  if (!isEnded) log("warn", "what was under way did not end in time") // a database that is gone keeps it waiting
  http.closeAllConnections()
  await isClosed
  clearInterval(sweep)
  log("info", "stopped")
}

/** Jobs have twenty seconds of these to come to their end. */
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
  EACCES: "may not be used",
  EADDRNOTAVAIL: "is no address of this machine",
  ENOTFOUND: "is no address of this machine",
}

/** The second one ends the process at once. */
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
