import { parseArgs } from "node:util"
import { postgresDriver } from "../src/disk/postgres/postgres-driver.ts"
import { openStaticEmbedder } from "../src/embedders/static-embedder.ts"
import { sortIntoBuckets, spacesToSort } from "../src/index/postgres/buckets.ts"
import { migrate } from "../src/store/postgres/migrate.ts"
import { tenantIdOf } from "../src/store/postgres/tenant-id.ts"
import { startPostgres } from "../test/postgres/start-postgres.ts"
import { loadMemories, type TenantPlan } from "./team/load-memories.ts"
import { printIngest, printLatencies, type Stage } from "./team/print-stage.ts"

/**
 * The team server on a real PostgreSQL: `npm run bench:team [-- --memories 1000000 --tenants 1000 --requests 400]`. One tenant has a fifth
 * of all memories. Texts are made up and vectors come from the static table; every figure stands beside the same statements put to the bare
 * database in the same run.
 */
const { values } = parseArgs({
  options: {
    memories: { type: "string", default: "1000000" },
    tenants: { type: "string", default: "1000" },
    requests: { type: "string", default: "400" },
  },
})
const [memories, tenants, requests] = [Number(values.memories), Number(values.tenants), Number(values.requests)]

const table = openStaticEmbedder()
if (table.kind === "unavailable") throw new Error(table.reason)
const { embedder } = table
const embed = { id: embedder.id, vector: (text: string) => embedder.embedNow(text) }

const server = await startPostgres([
  "shared_buffers=2GB",
  "max_connections=150",
  "max_wal_size=8GB",
  "maintenance_work_mem=256MB",
])
const driver = postgresDriver(server.url, { timeoutMs: 600_000 })
await migrate(driver)

const stages: Stage[] = []
for (const total of [Math.min(10_000, memories), memories].filter((each, at, all) => all.indexOf(each) === at)) {
  const began = performance.now()
  const added = await fill(planOf(total))
  await driver.asOwner((ask) => ask("VACUUM ANALYZE"))
  const seconds = (performance.now() - began) / 1000
  console.log(
    `\n${total.toLocaleString("en")} memories of ${tenants.toLocaleString("en")} tenants, ${planOf(total)[0]?.memories.toLocaleString("en")} of them one tenant's` +
      ` (${added.toLocaleString("en")} loaded in ${seconds.toFixed(0)} s, words and vectors included)`,
  )
  stages.push(await printLatencies({ url: server.url, driver, embed, tenants, requests }))
}
const [first, last] = [stages[0], stages.at(-1)]
if (first && last && first !== last) {
  for (const name of Object.keys(last) as (keyof Stage)[])
    console.log(
      `p95 of ${name}: ${(last[name] / first[name]).toFixed(2)} × that with ${Math.min(10_000, memories).toLocaleString("en")} memories`,
    )
}
await printSizes()
await printIngest({ url: server.url, driver })
await driver.close()
await server.stop()
process.exit(0)

function planOf(total: number): TenantPlan[] {
  const large = Math.floor(total / 5)
  const rest = total - large
  const others = tenants - 1
  return [
    { slug: "large", memories: large },
    ...Array.from({ length: others }, (_, at) => ({
      slug: `tenant-${at + 1}`,
      memories: Math.floor(((at + 1) * rest) / others) - Math.floor((at * rest) / others),
    })),
  ]
}

/** Two at a time, as there are processors; then large spaces are sorted into buckets, as the server's jobs do. */
async function fill(plans: TenantPlan[]): Promise<number> {
  let added = 0
  let next = 0
  const loader = async () => {
    for (let plan = plans[next++]; plan; plan = plans[next++]) {
      const more = await loadMemories(driver, embed, plan)
      added += more
    }
  }
  await Promise.all([loader(), loader()])
  const reach = { tenant: tenantIdOf("large"), teams: "all" as const }
  await driver.within(reach, "write", async (ask) => {
    for (const space of await spacesToSort(ask)) await sortIntoBuckets(ask, space, new Date().toISOString())
  })
  return added
}

async function printSizes(): Promise<void> {
  const { rows } = await driver.asOwner((ask) =>
    ask(`SELECT sum(pg_total_relation_size(oid)) FILTER (WHERE relname IN ('postings', 'terms', 'memory_bits', 'buckets')) AS found_by,
      sum(pg_total_relation_size(oid)) AS whole FROM pg_class WHERE relnamespace = 'drey'::regnamespace AND relkind = 'r'`),
  )
  const each = (bytes: unknown) => Math.round(Number(bytes) / memories)
  console.log(
    `words and vectors: ${each(rows[0]?.found_by)} bytes a memory; all tables and their indexes: ${each(rows[0]?.whole)}`,
  )
}
