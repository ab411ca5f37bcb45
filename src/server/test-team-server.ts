import { newDatabase } from "../../test/postgres/start-postgres.ts"
import type { PostgresDriver } from "../disk/postgres/driver.ts"
import { postgresDriver } from "../disk/postgres/postgres-driver.ts"
import { migrate } from "../memories/postgres/migrations.ts"
import type { Me, Role, SharedMemory, TeamMemory } from "./api.ts"
import { makeOrganisation } from "./identity/organisations.ts"
import { toAuditKey } from "./identity/team-audit.ts"
import { installQueue } from "./jobs/job-queue.ts"
import { openLog } from "./server-log.ts"
import { openTeamServer, type TeamServer, type TeamServerOptions } from "./team-server.ts"

export const publicUrl = "http://127.0.0.1:4848"

export const testAuditKey = toAuditKey("a key for tests, of enough characters")

export type TestServer = TeamServer & {
  driver: PostgresDriver
  log: string[]
  /** Sets the clock of the server ahead. */
  pass(ms: number): void
  /** An organisation with its owner signed in. */
  organisation(slug: string): Promise<TestMember>
  close(): Promise<void>
}

/** A user who is signed in with a browser, or has a token. */
export type TestMember = {
  slug: string
  me: Me
  secret: string
  ask(method: string, path: string, body?: unknown): Promise<TestAnswer>
  /** The same with one of their tokens. */
  withToken(scopes: string[], days?: number): Promise<TestMember>
  /** Another user, invited by this one. */
  invite(name: string, role: Role, teams?: string[]): Promise<TestMember>
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer
export type TestAnswer = { status: number; body: any; headers: Headers }

export async function startTestServer(options: Partial<TeamServerOptions> = {}): Promise<TestServer> {
  const driver = options.driver ?? postgresDriver(await newDatabase(), { connections: 8 })
  await migrate(driver)
  await installQueue(driver)
  const log: string[] = []
  let ahead = 0
  const now = () => new Date(Date.now() + ahead)
  const server = await openTeamServer({
    driver,
    auditKey: testAuditKey,
    publicUrl,
    version: "0.0.0",
    now,
    log: openLog("debug", now, (line) => void log.push(line)),
    rates: { signInsPerMinute: 1000, requestsPerMinute: 100_000 },
    runsJobs: false,
    ...options,
  })
  return {
    ...server,
    driver,
    log,
    pass(ms) {
      ahead += ms
    },
    async organisation(slug) {
      const link = await makeOrganisation(server.parts, {
        slug,
        name: `The ${slug}`,
        email: `owner@${slug}.test`,
        now: now(),
      })
      return join(server, slug, link ?? "", `Owner of ${slug}`)
    },
    async close() {
      await server.close()
      await driver.close()
    },
  }
}

async function join({ app }: TeamServer, slug: string, link: string, name: string): Promise<TestMember> {
  const joined = await ask(app, {}, "POST", "/v1/sign-in/link", { token: link, name })
  const cookie = /drey-team=([^;]+)/.exec(joined.headers.get("set-cookie") ?? "")?.[1] ?? ""
  return asMember(app, { slug, me: joined.body, secret: cookie }, { cookie: `drey-team=${cookie}`, origin: publicUrl })
}

function asMember(
  app: TeamServer["app"],
  { slug, me, secret }: Pick<TestMember, "slug" | "me" | "secret">,
  headers: Record<string, string>,
): TestMember {
  const self: TestMember = {
    ...{ slug, me, secret },
    ask: (method, path, body) => ask(app, headers, method, path, body),
    async withToken(scopes, days = 90) {
      const { body } = await self.ask("POST", "/v1/tokens", { name: "test", scopes, days })
      return asMember(app, { slug, me, secret: body.secret }, { authorization: `Bearer ${body.secret}` })
    },
    async invite(name, role, teams = []) {
      const email = `${name.toLowerCase()}@${slug}.test`
      const { body } = await self.ask("POST", "/v1/invitations", { email, role, teams })
      return join({ app } as TeamServer, slug, body.link.split("#")[1], name)
    },
  }
  return self
}

async function ask(
  app: TeamServer["app"],
  headers: Record<string, string>,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestAnswer> {
  const response = await app.request(`${publicUrl}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("json") && !text.includes("\n{")
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
}

export function shared(given: Partial<SharedMemory> = {}): SharedMemory {
  return {
    project: "github.com/acme/shop",
    scope: "project",
    pathPrefix: null,
    kind: "pattern",
    tier: "long_term",
    polarity: 1,
    key: null,
    text: "Run the payment tests with pnpm test:payments",
    status: "active",
    confidence: 0.9,
    expires: null,
    trigger: { tools: [], heads: [], paths: [], fingerprints: [] },
    origin: "user",
    trust: 3,
    created: "2026-03-01T09:00:00.000Z",
    sourceMemory: "m-0000000000000001",
    team: null,
    ...given,
  }
}

export async function share(member: TestMember, given: Partial<SharedMemory> = {}): Promise<TeamMemory> {
  const { status, body } = await member.ask("POST", "/v1/memories", shared(given))
  if (status !== 201) throw new Error(`it was not shared: ${status} ${JSON.stringify(body)}`)
  return body
}
