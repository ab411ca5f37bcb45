import { all, one, run, type Steps } from "../../memories/steps.ts"
import type { Organisation } from "../api.ts"
import { queueSchema } from "../jobs/job-queue.ts"
import { rowsOf, type TeamParts } from "../team-parts.ts"
import { type TeamCaller, wholeOf } from "./caller.ts"
import { notifyRevoked } from "./credentials.ts"
import { inviteOwner } from "./invitations.ts"
import { addTeamAudit } from "./team-audit.ts"

export type NewOrganisation = {
  slug: string
  name: string
  /** The first owner's address; "" if unknown. */
  email: string
  now: Date
}

/** Creates an organisation and a link for its first owner; undefined if it already exists. */
export function makeOrganisation(
  parts: Pick<TeamParts, "driver" | "auditKey">,
  { slug, name, email, now }: NewOrganisation,
): Promise<string | undefined> {
  return rowsOf(parts, wholeOf(slug)).write(function* () {
    if (!(yield* addOrganisation(slug, name, now.toISOString()))) return undefined
    yield* addTeamAudit({ actor: "the server", action: "organisation made" }, now.toISOString())
    return yield* inviteOwner(slug, email, now)
  })
}

/** Creates another owner link; undefined if the organisation does not exist. */
export function makeOwnerLink(
  parts: Pick<TeamParts, "driver" | "auditKey">,
  { slug, email, now }: Omit<NewOrganisation, "name">,
): Promise<string | undefined> {
  return rowsOf(parts, wholeOf(slug)).write(function* () {
    return (yield* readOrganisation()) ? yield* inviteOwner(slug, email, now) : undefined
  })
}

export function* readOrganisation(): Steps<Organisation | undefined> {
  return yield* one<Organisation>(
    `SELECT slug, name, created_at AS created, (SELECT count(*) FROM memories WHERE status <> 'deprecated') AS memories,
       (SELECT count(*) FROM members) AS members FROM organisations`,
  )
}

/** False if the organisation already exists. */
function* addOrganisation(slug: string, name: string, now: string): Steps<boolean> {
  const sql = "INSERT INTO organisations (slug, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
  return (yield* run(sql, slug, name, now)) > 0
}

export function* renameOrganisation(name: string): Steps<void> {
  yield* run("UPDATE organisations SET name = ?", name)
}

/** Deletes every row of an organisation; returns the number of rows by table. */
export function deleteOrganisation(parts: TeamParts, { slug }: TeamCaller): Promise<Record<string, number>> {
  return rowsOf(parts, wholeOf(slug)).write(() => deleteAll(slug))
}

function* deleteAll(slug: string): Steps<Record<string, number>> {
  yield* all("SET LOCAL statement_timeout = 0") // deleting a large organisation takes a while
  yield* all("SELECT set_config('app.leaving', 'yes', true)")
  yield* run(`DELETE FROM ${queueSchema}.job WHERE data ->> 'slug' = ?`, slug)
  const counts: Record<string, number> = {}
  const tables = (yield* tenantTables()).map(({ name }) => name).sort((one, other) => placeOf(one) - placeOf(other))
  for (const name of tables) counts[name] = yield* run(`DELETE FROM ${name}`) // row-level security limits this to the organisation
  yield* notifyRevoked(slug)
  return counts
}

/** Index tables go before memories, so that triggers need not update them; deleting memories writes to the last two. */
const first = ["memory_bits", "postings", "terms", "buckets", "memories"]
const last = ["memory_changes", "organisations"]

function placeOf(table: string): number {
  if (first.includes(table)) return first.indexOf(table) - first.length
  return last.indexOf(table) + 1
}

/** Derived tables and credentials are not exported. */
const leftOut = new Set(["postings", "terms", "memory_bits", "buckets", "sign_ins"])
const hidden = new Set(["hash", "embedding", "row_no", "word_count"])
const pageSize = 500

/** Streams an organisation as JSON lines, page by page with backpressure; no page blocks writes. */
export function exportOrganisation(parts: TeamParts, slug: string): Response {
  const lines = exportLines(parts, slug)
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await lines.return(undefined)
    },
  })
  const name = `${slug}-${parts.now().toISOString().slice(0, 10)}.ndjson`
  return new Response(stream, {
    headers: {
      "Content-Type": "application/x-ndjson",
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
    },
  })
}

async function* exportLines(parts: TeamParts, slug: string): AsyncGenerator<string, undefined> {
  const rows = rowsOf(parts, wholeOf(slug))
  const counts: Record<string, number> = {}
  for (const table of await rows.read(tenantTables)) {
    if (leftOut.has(table.name)) continue
    counts[table.name] = 0
    for (let after: TenantRow | undefined; ; ) {
      const page: TenantRow[] = await rows.read(() => readPage(table, after))
      if (page.length > 0) yield page.map((row) => `${JSON.stringify({ table: table.name, row })}\n`).join("")
      counts[table.name] = (counts[table.name] ?? 0) + page.length
      after = page.at(-1)
      if (page.length < pageSize) break
    }
  }
  yield `${JSON.stringify({ end: true, counts })}\n`
  return undefined
}

type TenantRow = Record<string, string | number | null>

/** The rows after one, by primary key. Names come from the catalogue, so they are safe to interpolate. */
function* readPage({ name, columns, key }: TenantTable, after: TenantRow | undefined): Steps<TenantRow[]> {
  const shown = columns.filter((column) => !hidden.has(column)).map((column) => `"${column}"`)
  if (key.length === 0) return yield* all<TenantRow>(`SELECT ${shown.join(", ")} FROM ${name}`) // one row per organisation
  const ordered = key.map((column) => `"${column}"`).join(", ")
  const behind = after ? `WHERE (${ordered}) > (${key.map(() => "?").join(", ")})` : ""
  return yield* all<TenantRow>(
    `SELECT ${shown.join(", ")} FROM ${name} ${behind} ORDER BY ${ordered} LIMIT ${pageSize}`,
    ...(after ? key.map((column) => after[column] ?? null) : []),
  )
}

type TenantTable = { name: string; columns: string[]; key: string[] }

/** Every table with an organisation's rows, from the database catalogue, so that new tables are included automatically. */
function* tenantTables(): Steps<TenantTable[]> {
  const rows = yield* all<{ name: string; columns: string; keys: string }>(
    `SELECT tables.relname AS name,
       (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = tables.oid AND attnum > 0 AND NOT attisdropped AND attname <> 'tenant_id') AS columns,
       (SELECT coalesce(string_agg(attname, ',' ORDER BY array_position(indkey, attnum)), '') FROM pg_index
        JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
        WHERE indrelid = tables.oid AND indisprimary AND attname <> 'tenant_id') AS keys
     FROM pg_class AS tables JOIN pg_attribute AS tenant ON tenant.attrelid = tables.oid AND tenant.attname = 'tenant_id'
     WHERE tables.relnamespace = to_regnamespace('drey') AND tables.relkind IN ('r', 'p') ORDER BY tables.relname`,
  )
  return rows.map(({ name, columns, keys }) => ({
    name,
    columns: columns.split(","),
    key: keys === "" ? [] : keys.split(","),
  }))
}
