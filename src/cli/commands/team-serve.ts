import { resolve } from "node:path"
import type { Command } from "commander"
import { DreyError, exitCode } from "../../errors.ts"
import { omitUndefined } from "../../formats/objects.ts"
import type { DatabasePlace } from "../../server/database.ts"
import type { OidcSettings } from "../../server/identity/oidc.ts"
import type { AuditFinding, AuditHead } from "../../server/identity/team-audit.ts"
import type { ServerLogLevel } from "../../server/server-log.ts"
import { commandGroup } from "../command.ts"
import { parseCount } from "../option-values.ts"
import { type CommonOptions, print } from "../print.ts"

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
    learning?: string
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
    .option("--learning <file>", "JSON with the model and the policy of each organisation; default: rules")
    .option("--behind-proxy", "take the caller's address from the last entry of X-Forwarded-For")
    .option("--log-level <level>", "debug, info, warn, error or silent", "info")
    .addHelpText(
      "after",
      `
Environment:
  DREY_DATABASE_URL         same as --database-url, but not visible in the process list
  DREY_OIDC_ISSUER          sign-in through an identity provider, with
  DREY_OIDC_CLIENT_ID         its client id,
  DREY_OIDC_CLIENT_SECRET     its client secret,
  DREY_OIDC_NAME              and the label of the button; default: the issuer's host
  DREY_AUDIT_KEY            signs the audit log; use the same for all servers of a database. Default: generated once in Drey's home
  DREY_METRICS_TOKEN        required to read /metrics; without it only this machine can, and nothing can behind a proxy`,
    )
    .action(serveTeam)
}

async function serveTeam(options: Options): Promise<void> {
  const { runTeamServer } = await import("../../server/serve.ts")
  const { readOrganisationLearning } = await import("../../server/organisation-learning.ts")
  const { readAuditKeys } = await import("../../server/identity/team-audit.ts")
  const { findApp } = await import("../../web/app-files.ts")
  const { serveApp } = await import("../../web/app-files.ts")
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
    learning: options.learning === undefined ? undefined : readOrganisationLearning(options.learning, process.env),
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

async function parseSlug(text: string): Promise<string> {
  const { slug } = await import("../../server/api.ts")
  if (slug.safeParse(text).success) return text
  throw new DreyError(`"${text}" is not a valid organisation name`, {
    hint: "Use lower-case letters, digits and hyphens, at most 40.",
  })
}

async function parseLevel(text: string): Promise<ServerLogLevel> {
  const { logLevels } = await import("../../server/server-log.ts")
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

type OptionsMigrate = CommonOptions & DatabaseOptions & { to?: string }

export function teamMigrateCommand(): Command {
  return serverCommand(
    "migrate",
    "Migrate the database of a team server; servers of the previous version keep running. The database user must own the tables.",
    "drey team migrate --database-url postgres://drey@db/drey",
  )
    .option("--to <version>", "stop at this version")
    .action(migrateTables)
}

async function migrateTables(options: OptionsMigrate): Promise<void> {
  const { withDatabase } = await import("../../server/database.ts")
  const { migrateTeam } = await import("../../server/database.ts")
  const to = options.to === undefined ? undefined : parseCount(options.to, "a version", 1, 1_000_000)
  const done = await withDatabase(databasePlaceOf(options), (driver) => migrateTeam(driver, omitUndefined({ to })))
  print(
    options,
    () => done,
    () =>
      done.from === done.to
        ? `The tables are up to date: version ${done.to}`
        : `Migrated the tables from version ${done.from} to ${done.to}`,
  )
}

type OptionsOrg = CommonOptions & DatabaseOptions & { name?: string; owner?: string; publicUrl: string }

export function teamOrgCommand(): Command {
  const org = commandGroup(
    "org",
    "Manage the organisations of a team server. For server operators.",
    "drey team org create acme --owner kim@example.com",
  )
  return org.addCommand(createCommand())
}

function createCommand(): Command {
  return serverCommand(
    "create",
    "Create an organisation and print a link for its first owner. Organisations cannot see each other's data.",
    'drey team org create acme --name "Acme Corp." --owner kim@example.com --public-url https://drey.example.com',
  )
    .argument("<slug>", "its short name, used in addresses and tokens: lower-case letters, digits and hyphens")
    .option("--name <name>", "display name; default: the short name")
    .option("--owner <email>", "the email address of its first owner")
    .option("--public-url <url>", "the server's public address", "http://127.0.0.1:4848")
    .action(createOrganisation)
}

async function createOrganisation(given: string, options: OptionsOrg): Promise<void> {
  const { withTables } = await import("../../server/database.ts")
  const { makeOrganisation } = await import("../../server/identity/organisations.ts")
  const { readAuditKeys } = await import("../../server/identity/team-audit.ts")
  const slug = await parseSlug(given)
  const [auditKey] = readAuditKeys(process.env)
  const { name = slug, owner: email = "", publicUrl } = options
  const link = await withTables(databasePlaceOf(options), (driver) =>
    makeOrganisation({ driver, auditKey }, { slug, name, email, now: new Date() }),
  )
  if (link === undefined) throw new DreyError(`Organisation ${slug} already exists`, { exitCode: exitCode.no })
  const ownerLink = `${publicUrl}/join#${link}`
  print(
    options,
    () => ({ slug, ownerLink }),
    () => `Created ${slug}. Link for its first owner (works once, valid for 7 days):\n  ${ownerLink}`,
  )
}

type OptionsOwner = CommonOptions & DatabaseOptions & { org: string; owner?: string; publicUrl: string }

export function teamInviteOwnerCommand(): Command {
  return serverCommand(
    "invite-owner",
    "Print a new owner link for an organisation, if the first was lost or no owner can sign in. For server operators.",
    "drey team invite-owner --org acme --owner kim@example.com",
  )
    .option("--org <name>", "the organisation", "team")
    .option("--owner <email>", "the owner's email address; an existing member with it becomes owner")
    .option("--public-url <url>", "the server's public address", "http://127.0.0.1:4848")
    .action(inviteOwner)
}

async function inviteOwner(options: OptionsOwner): Promise<void> {
  const { withTables } = await import("../../server/database.ts")
  const { makeOwnerLink } = await import("../../server/identity/organisations.ts")
  const { readAuditKeys } = await import("../../server/identity/team-audit.ts")
  const slug = await parseSlug(options.org)
  const [auditKey] = readAuditKeys(process.env)
  const link = await withTables(databasePlaceOf(options), (driver) =>
    makeOwnerLink({ driver, auditKey }, { slug, email: options.owner ?? "", now: new Date() }),
  )
  if (link === undefined)
    throw new DreyError(`There is no organisation ${slug}`, {
      hint: `Create it with: drey team org create ${slug}`,
      exitCode: exitCode.no,
    })
  const ownerLink = `${options.publicUrl}/join#${link}`
  print(
    options,
    () => ({ slug, ownerLink }),
    () => `Owner link for ${slug} (works once, valid for 7 days):\n  ${ownerLink}`,
  )
}

type OptionsAudit = CommonOptions & DatabaseOptions & { org: string; head?: string }

export function teamVerifyAuditCommand(): Command {
  return serverCommand(
    "verify-audit",
    "Verify that no line of an organisation's audit log was changed or removed, using its key and the last line of the previous check. For server operators.",
    "drey team verify-audit --org acme",
  )
    .option("--org <name>", "the organisation", "team")
    .option("--head <line>", "the last line printed by an earlier check and noted separately, as NUMBER:HASH")
    .action(verifyAudit)
}

async function verifyAudit(options: OptionsAudit): Promise<void> {
  const { withTables } = await import("../../server/database.ts")
  const { verifyTeamAudit } = await import("../../server/identity/team-audit.ts")
  const slug = await parseSlug(options.org)
  const place = databasePlaceOf(options)
  const known = options.head === undefined ? undefined : parseHead(options.head)
  const verifying = { slug, database: databaseNameOf(place), known, environment: process.env }
  const finding = await withTables(place, (driver) => verifyTeamAudit(driver, verifying))
  const isIntact = finding.kind === "intact"
  print(
    options,
    () => ({ intact: isIntact, brokenAt: isIntact ? null : lineOf(finding), ...finding }),
    () => textOf(slug, finding),
  )
  if (!isIntact) process.exitCode = exitCode.no
}

function parseHead(text: string): AuditHead {
  const [, seq, hash] = /^(\d{1,9}):((?:[0-9a-f]{2}){32,36})$/.exec(text) ?? []
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash }
  throw new DreyError(`"${text}" is not an audit log line`, {
    hint: "Write it as NUMBER:HASH, as printed by the previous check.",
  })
}

function lineOf(finding: Exclude<AuditFinding, { kind: "intact" }>): number {
  if (finding.kind === "cut") return finding.last + 1
  return finding.kind === "rewritten" ? finding.known.seq : finding.line
}

function textOf(slug: string, finding: AuditFinding): string {
  switch (finding.kind) {
    case "intact":
      return [`The audit log of ${slug} is intact`, ...headLines(finding)].join("\n")
    case "changed":
      return `Line ${finding.line} of the audit log of ${slug} was changed, or a line before it was removed`
    case "unkeyed":
      return `Line ${finding.line} of the audit log of ${slug} was written without the key: by an earlier server version, or by another program`
    case "unknown key":
      return `Line ${finding.line} of the audit log of ${slug} was signed with another key (${finding.key}): add that key to DREY_AUDIT_KEY, after a comma`
    case "cut":
      return `The audit log of ${slug} was truncated: it ends with line ${finding.last}, but line ${finding.known.seq} existed before`
    case "rewritten":
      return `The audit log of ${slug} was rewritten: line ${finding.known.seq} differs from the previous check`
  }
}

function headLines({ head, keyedFrom }: Extract<AuditFinding, { kind: "intact" }>): string[] {
  if (head === null) return []
  const keyed =
    keyedFrom === 1
      ? ""
      : keyedFrom === null
        ? "; no line is signed with a key yet"
        : `; signed with a key from line ${keyedFrom} on`
  return [`Its last line is ${head.seq}:${head.hash}${keyed}`]
}

type DatabaseOptions = { databaseUrl?: string; data?: string; connections?: string }

/** A command for server operators; it does not depend on the current repository. */
function serverCommand(name: string, description: string, example: string): Command {
  return commandGroup(name, description, example)
    .option("--json", "print one JSON document")
    .option("--database-url <url>", "a PostgreSQL server, 15 or later; default: $DREY_DATABASE_URL")
    .option(
      "--data <dir>",
      "the folder of an embedded database, without --database-url; default: team-server in Drey's home",
    )
}

/** Identifies a database without its credentials. */
function databaseNameOf(place: DatabasePlace): string {
  if (place.kind === "folder") return place.path === undefined ? "the default folder" : resolve(place.path)
  return place.url.replace(/^\w+:\/\/(?:.*@)?/, "").replace(/\?.*$/, "")
}

function databasePlaceOf({ databaseUrl, data, connections }: DatabaseOptions): DatabasePlace {
  const url = databaseUrl ?? (data === undefined ? process.env.DREY_DATABASE_URL : undefined)
  if (url)
    return {
      kind: "server",
      url,
      connections: connections === undefined ? 10 : parseCount(connections, "connections", 2, 500),
    }
  return { kind: "folder", path: data }
}
