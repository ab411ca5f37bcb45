import type { PostgresDriver, TenantScope } from "../../src/disk/postgres/driver.ts"
import { postgresDriver } from "../../src/disk/postgres/postgres-driver.ts"
import { builtInPolicy, policyForEmbedder } from "../../src/formats/policy.ts"
import { tenantIdOf } from "../../src/memories/postgres/tenancy.ts"
import type { StoreEmbedder } from "../../src/memories/similarity.ts"
import { buildContext } from "../../src/recall/context/context-builder.ts"
import { searchLearned } from "../../src/recall/search/learned-search.ts"
import { boundTokens } from "../../src/recall/token-count.ts"
import { makeSecret } from "../../src/server/identity/credentials.ts"
import { tenantRecall } from "../../src/server/memories/tenant-store.ts"
import { askServer } from "./ask-server.ts"
import { measure, tell } from "./latencies.ts"
import { makeTask, makeText, randomFrom } from "./made-up-memory.ts"
import { type Recorded, record, replay } from "./replay.ts"
import { startTeamServer } from "./start-team-server.ts"

const clientCounts = [1, 16, 64]
const tenantsAsked = 100
/** So that no token asks more often than one may. */
const tokensOfLarge = 60

type Kind = "search" | "context"
const whoseNames = ["any tenant", "the large tenant"] as const
type Whose = (typeof whoseNames)[number]

/** p95 with one client, by what was asked of whom. */
export type Stage = Record<`${Kind} of ${Whose}`, number>

export type StageOptions = {
  url: string
  driver: PostgresDriver
  embed: StoreEmbedder
  tenants: number
  requests: number
}

/** Search and context through the server and on the bare database, by number of clients. */
export async function printLatencies({ url, driver, embed, tenants, requests }: StageOptions): Promise<Stage> {
  const some = Array.from(
    { length: Math.min(tenantsAsked, tenants - 1) },
    (_, at) => `tenant-${1 + Math.floor((at * (tenants - 1)) / Math.min(tenantsAsked, tenants - 1))}`,
  )
  const passes: Record<Whose, Pass[]> = {
    "any tenant": await Promise.all(some.map((slug) => addPass(driver, slug))),
    "the large tenant": await Promise.all(Array.from({ length: tokensOfLarge }, () => addPass(driver, "large"))),
  }
  const bare = postgresDriver(url)
  const server = await startTeamServer(url)
  const stage = {} as Stage
  try {
    for (const kind of ["search", "context"] as const) {
      for (const whose of whoseNames) {
        for (const clients of clientCounts) {
          const random = randomFrom(clients)
          const asked = Array.from({ length: requests }, (_, at) => ({
            pass: passes[whose][at % passes[whose].length] as Pass,
            task: makeTask(random),
          }))
          const recorded: Recorded[] = []
          for (const { pass, task } of asked)
            recorded.push(await record(driver, pass.reach, (ask) => answer(ask, kind, task, embed)))
          const pick = <Value>(from: readonly Value[], number: number) => from[number % from.length] as Value
          for (const pass of passes[whose])
            await askServer(server.url, pass.token, `/v1/${kind}`, bodyOf(kind, "Hello"))
          const alone = await measure(clients, requests, (number) => replay(bare, pick(recorded, number)))
          const served = await measure(clients, requests, (number) => {
            const { pass, task } = pick(asked, number)
            return askServer(server.url, pass.token, `/v1/${kind}`, bodyOf(kind, task))
          })
          const ratio = served.p95 / alone.p95
          console.log(
            `${kind} of ${whose}, ${clients} clients: ${tell(served)}   bare database ${tell(alone)}   p95 ${ratio.toFixed(2)} ×`,
          )
          if (clients === 1) stage[`${kind} of ${whose}`] = served.p95
        }
      }
    }
  } finally {
    await server.stop()
    await bare.close()
  }
  return stage
}

function bodyOf(kind: Kind, task: string): object {
  return kind === "search" ? { q: task, project: "p-1" } : { task, project: "p-1" }
}

function answer(ask: Parameters<typeof tenantRecall>[0], kind: Kind, task: string, embed: StoreEmbedder) {
  const settings = policyForEmbedder(builtInPolicy, embed.id).retrieval
  const recall = tenantRecall(ask, "p-1", { embed, countTokens: boundTokens, settings, now: () => new Date() })
  return kind === "search" ? searchLearned(recall, { text: task, limit: 20 }) : buildContext(recall, { task })
}

type Pass = { token: string; reach: TenantScope }

let members = 0

/** A member with a token that may write. */
export async function addPass(driver: PostgresDriver, slug: string): Promise<Pass> {
  const reach = { tenant: tenantIdOf(slug), teams: "all" as const }
  const { id, text, hash, hint } = makeSecret("pat", slug)
  const member = `bench-${process.pid}-${++members}`
  await driver.within(reach, "write", async (ask) => {
    await ask(
      `INSERT INTO members (member_id, email, name, role, joined_at) VALUES ($1, $1 || '@example.com', $1, 'member', '2026-01-01T00:00:00.000Z')`,
      [member],
    )
    await ask(
      `INSERT INTO tokens (token_id, member_id, name, hash, hint, scopes, created_at, expires_at)
       VALUES ($1, $2, 'bench', $3, $4, '["read","write"]', '2026-01-01T00:00:00.000Z', '2036-01-01T00:00:00.000Z')`,
      [id, member, hash, hint],
    )
  })
  return { token: text, reach }
}

const shares = 2000

/** How many memories a second are shared, each in a transaction of its own, by sixteen clients of as many tenants and of one. */
export async function printIngest({ url, driver }: Pick<StageOptions, "url" | "driver">): Promise<void> {
  const server = await startTeamServer(url)
  try {
    for (const [whose, slugs] of [
      ["sixteen tenants", Array.from({ length: 64 }, (_, at) => `tenant-${(at % 16) + 1}`)],
      ["the large tenant", Array.from({ length: 64 }, () => "large")],
    ] as const) {
      const passes = await Promise.all(slugs.map((slug) => addPass(driver, slug)))
      const random = randomFrom(7)
      const written = await measure(16, shares, (number) =>
        askServer(
          server.url,
          (passes[number % passes.length] as Pass).token,
          "/v1/memories",
          shareOf(makeText(random), number),
        ),
      )
      console.log(`sharing with ${whose}, 16 clients: ${tell(written)}`)
    }
  } finally {
    await server.stop()
  }
}

function shareOf(text: string, number: number): object {
  return {
    project: "p-1",
    scope: "project",
    pathPrefix: null,
    kind: "pattern",
    tier: "long_term",
    polarity: 1,
    key: null,
    text: `${text} (${number})`,
    status: "active",
    confidence: 0.9,
    expires: null,
    trigger: { tools: [], heads: [], paths: [], fingerprints: [] },
    origin: "user",
    trust: 3,
    created: "2026-02-01T00:00:00.000Z",
    sourceMemory: `m-${number.toString(16).padStart(16, "0")}`,
    team: null,
  }
}
