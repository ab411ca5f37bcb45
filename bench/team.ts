import { parseArgs } from "node:util"
import type { PostgresDriver } from "../src/disk/postgres/driver.ts"
import { postgresDriver } from "../src/disk/postgres/postgres-driver.ts"
import { openStaticEmbedder } from "../src/index/embedders/static-embedder.ts"
import { sortIntoBuckets, spacesToSort } from "../src/index/postgres/buckets.ts"
import { tenantIdOf } from "../src/memories/postgres/tenancy.ts"
import { migrateTeam } from "../src/server/database.ts"
import { createDatabase, startPostgres } from "../test/postgres/start-postgres.ts"
import { loadMemories, type TenantPlan } from "./team/load-memories.ts"
import { printIngest, printLatencies, type Stage } from "./team/print-stage.ts"

/**
 * The team server on a real PostgreSQL: `npm run team -w bench [-- --memories 1000000 --tenants 1000 --requests 400]`. One tenant has a fifth
 * of all memories. Texts are made up and vectors come from the static table. Each figure stands beside the same statements put to the bare
 * database, and beside that of a hundredth of the memories, in the same run. `--postgres URL` names a server, on which what was loaded
 * stays for the next run; else one is started and goes with its folder.
 */
const { values } = parseArgs({
  options: {
    memories: { type: "string", default: "1000000" },
    tenants: { type: "string", default: "1000" },
    requests: { type: "string", default: "400" },
    postgres: { type: "string" },
    "load-only": { type: "boolean", default: false },
  },
})
const [memories, tenants, requests] = [Number(values.memories), Number(values.tenants), Number(values.requests)]
const sizes = [Math.ceil(memories / 100), memories]

const table = openStaticEmbedder()
if (table.kind === "unavailable") throw new Error(table.reason)
const { embedder } = table
const embed = { id: embedder.id, vector: (text: string) => embedder.embedNow(text) }

const settings = ["shared_buffers=2GB", "max_connections=200", "max_wal_size=8GB", "maintenance_work_mem=256MB"]
const own = values.postgres === undefined ? await startPostgres(settings) : undefined
const server = values.postgres ?? own?.url ?? ""
const databases: { total: number; url: string; driver: PostgresDriver }[] = []
for (const total of sizes) {
  const url = await createDatabase(server, `drey_bench_${total}`)
  const driver = postgresDriver(url, { timeoutMs: 600_000 })
  await migrateTeam(driver)
  databases.push({ total, url, driver })
  const began = performance.now()
  const added = await fill(driver, planOf(total))
  if (added > 0) await driver.asOwner((ask) => ask("VACUUM ANALYZE"))
  const seconds = (performance.now() - began) / 1000
  const told = (n: number) => n.toLocaleString("en")
  console.log(
    `${told(total)} memories of ${told(tenants)} tenants, ${told(planOf(total)[0]?.memories ?? 0)} of them one tenant's` +
      ` (${told(added)} loaded in ${seconds.toFixed(0)} s, words and vectors included)`,
  )
}
if (!values["load-only"]) {
  const stages: Stage[] = []
  for (const { total, url, driver } of databases) {
    console.log(`\n${total.toLocaleString("en")} memories`)
    stages.push(await printLatencies({ url, driver, embed, tenants, requests }))
  }
  const [few, many] = stages
  if (few && many)
    for (const name of Object.keys(many) as (keyof Stage)[])
      console.log(
        `p95 of ${name}, one client: ${(many[name] / few[name]).toFixed(2)} × that with a hundredth of the memories`,
      )
  const last = databases.at(-1)
  if (last) {
    await printSizes(last.driver)
    await printIngest(last)
  }
}
for (const { driver } of databases) await driver.close()
await own?.stop()
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
async function fill(driver: PostgresDriver, plans: TenantPlan[]): Promise<number> {
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

async function printSizes(driver: PostgresDriver): Promise<void> {
  const { rows } = await driver.asOwner((ask) =>
    ask(`SELECT sum(pg_total_relation_size(oid)) FILTER (WHERE relname IN ('postings', 'terms', 'memory_bits', 'buckets')) AS found_by,
      sum(pg_total_relation_size(oid)) AS whole FROM pg_class WHERE relnamespace = 'drey'::regnamespace AND relkind = 'r'`),
  )
  const each = (bytes: unknown) => Math.round(Number(bytes) / memories)
  console.log(
    `words and vectors: ${each(rows[0]?.found_by)} bytes a memory; all tables and their indexes: ${each(rows[0]?.whole)}`,
  )
}
