import type { Command } from "commander"
import { DreyError } from "../../errors.ts"
import type { OidcSettings } from "../../team/server/identity/oidc.ts"
import type { LogLevel } from "../../team/server/log.ts"
import { parseCount } from "../parse-count.ts"
import { type CommonOptions, print } from "../print.ts"
import { type DatabaseOptions, databasePlaceOf, serverCommand } from "../team-database.ts"

type Options = CommonOptions &
  DatabaseOptions & {
    listen: string
    publicUrl?: string
    org?: string
    owner?: string
    migrate: boolean
    jobs: boolean
    drain: string
    logLevel: string
    requestsPerMinute?: string
    behindProxy?: boolean
  }

declare const DREY_VERSION: string

export function teamServeCommand(): Command {
  return serverCommand(
    "serve",
    "Run the team server: an HTTP API and the browser app, on PostgreSQL or, to try it out, on an embedded database. The first start creates an organisation and prints a link for its owner. Press Ctrl-C to stop.",
    "drey team serve\ndrey team serve --database-url postgres://drey@db/drey --listen 0.0.0.0:4848 --public-url https://drey.example.com",
  )
    .option("--listen <host:port>", "where to listen", "127.0.0.1:4848")
    .option("--public-url <url>", "public address for browsers and clients; default: the listen address")
    .option("--org <name>", "create this organisation if it does not exist; default on the first start: team")
    .option("--owner <email>", "the email address of its first owner")
    .option("--connections <number>", "number of database connections; default: 10")
    .option("--no-migrate", "do not migrate the tables; run drey team migrate instead")
    .option("--no-jobs", "leave background work to other server processes")
    .option("--drain <seconds>", "how long to keep serving after a signal, while /readyz fails", "5")
    .option("--requests-per-minute <number>", "limit per token or sign-in; default: 1200")
    .option("--behind-proxy", "take the caller's address from the last entry of X-Forwarded-For")
    .option("--log-level <level>", "debug, info, warn, error or silent", "info")
    .addHelpText(
      "after",
      `
Environment:
  DREY_DATABASE_URL         as --database-url, and does not show in a list of processes
  DREY_OIDC_ISSUER          sign-in through an identity provider, with
  DREY_OIDC_CLIENT_ID         its client id,
  DREY_OIDC_CLIENT_SECRET     its client secret,
  DREY_OIDC_NAME              and what the button says; default: the issuer's host
  DREY_AUDIT_KEY            seals the audit; all servers of a database need the same. Default: made once, in Drey's own folder
  DREY_METRICS_TOKEN        what /metrics asks for; without it only this machine may read them, and behind a proxy nobody`,
    )
    .action(serveTeam)
}

async function serveTeam(options: Options): Promise<void> {
  const { runTeamServer } = await import("../../team/server/run-team-server.ts")
  const { readAuditKeys } = await import("../../team/server/identity/audit-key.ts")
  const { findApp } = await import("../../web/find-app.ts")
  const { serveApp } = await import("../../web/serve-app.ts")
  const { requestsPerMinute } = options
  await runTeamServer({
    database: databasePlaceOf(options),
    auditKey: readAuditKeys(process.env)[0],
    listen: parseListen(options.listen),
    publicUrl: options.publicUrl === undefined ? undefined : parsePublicUrl(options.publicUrl),
    organisation: options.org === undefined ? undefined : await parseSlug(options.org),
    ownerEmail: options.owner ?? "",
    migrates: options.migrate,
    runsJobs: options.jobs,
    drainMs: parseCount(options.drain, "seconds", 0, 3600) * 1000,
    logLevel: await parseLevel(options.logLevel),
    oidc: readOidc(process.env),
    requestsPerMinute:
      requestsPerMinute === undefined ? undefined : parseCount(requestsPerMinute, "requests", 1, 10_000_000),
    isBehindProxy: options.behindProxy ?? false,
    metricsToken: process.env.DREY_METRICS_TOKEN || undefined,
    version: typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0",
    app: serveApp(findApp()),
    onReady: ({ url, ownerLink }) =>
      print(
        options,
        () => ({ url, ownerLink: ownerLink ?? null }),
        () =>
          [
            `Drey serves team memory at ${url}`,
            ...(ownerLink === undefined
              ? []
              : [`Link for its first owner (works once, valid for 7 days):\n  ${ownerLink}`]),
          ].join("\n"),
      ),
  })
}

function parseListen(text: string): { host: string; port: number } {
  const [, host, port] = /^(?:(\[[0-9a-f:]+\]|[^:]+):)?(\d+)$/i.exec(text) ?? []
  if (port === undefined)
    throw new DreyError(`"${text}" is not an address to listen on`, { hint: "Write it as 127.0.0.1:4848." })
  return { host: (host ?? "127.0.0.1").replace(/^\[|\]$/g, ""), port: parseCount(port, "a port", 0, 65_535) }
}

function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search !== "" || url.hash !== "")
    throw new DreyError(`"${text}" is not a server address`, {
      hint: "Write it as https://drey.example.com",
    })
  return url.origin
}

export async function parseSlug(text: string): Promise<string> {
  const { slug } = await import("../../team/api.ts")
  if (slug.safeParse(text).success) return text
  throw new DreyError(`"${text}" is not a valid organisation name`, {
    hint: "Use lower-case letters, digits and hyphens, at most 40.",
  })
}

async function parseLevel(text: string): Promise<LogLevel> {
  const { logLevels } = await import("../../team/server/log.ts")
  const level = logLevels.find((each) => each === text)
  if (level) return level
  throw new DreyError(`"${text}" is not a log level`, { hint: `The levels are ${logLevels.join(", ")}.` })
}

function readOidc({ DREY_OIDC_ISSUER, ...rest }: NodeJS.ProcessEnv): OidcSettings | undefined {
  if (!DREY_OIDC_ISSUER) return undefined
  const { DREY_OIDC_CLIENT_ID: clientId, DREY_OIDC_CLIENT_SECRET: clientSecret } = rest
  if (!clientId || !clientSecret || !URL.canParse(DREY_OIDC_ISSUER))
    throw new DreyError("The identity provider is not fully configured", {
      hint: "Set DREY_OIDC_ISSUER to its URL, and DREY_OIDC_CLIENT_ID and DREY_OIDC_CLIENT_SECRET.",
    })
  const name = rest.DREY_OIDC_NAME || new URL(DREY_OIDC_ISSUER).host
  return { issuer: DREY_OIDC_ISSUER, clientId, clientSecret, name }
}
