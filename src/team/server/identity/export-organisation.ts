import { all, type Steps } from "../../../store/steps.ts"
import { rowsOf, type TeamParts } from "../team-parts.ts"
import { wholeOf } from "./caller.ts"
import { type TenantTable, tenantTables } from "./tenant-tables.ts"

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
    for (let after: Row | undefined; ; ) {
      const page: Row[] = await rows.read(() => readPage(table, after))
      if (page.length > 0) yield page.map((row) => `${JSON.stringify({ table: table.name, row })}\n`).join("")
      counts[table.name] = (counts[table.name] ?? 0) + page.length
      after = page.at(-1)
      if (page.length < pageSize) break
    }
  }
  yield `${JSON.stringify({ end: true, counts })}\n`
  return undefined
}

type Row = Record<string, string | number | null>

/** The rows after one, by primary key. Names come from the catalogue, so they are safe to interpolate. */
function* readPage({ name, columns, key }: TenantTable, after: Row | undefined): Steps<Row[]> {
  const shown = columns.filter((column) => !hidden.has(column)).map((column) => `"${column}"`)
  if (key.length === 0) return yield* all<Row>(`SELECT ${shown.join(", ")} FROM ${name}`) // one row per organisation
  const ordered = key.map((column) => `"${column}"`).join(", ")
  const behind = after ? `WHERE (${ordered}) > (${key.map(() => "?").join(", ")})` : ""
  return yield* all<Row>(
    `SELECT ${shown.join(", ")} FROM ${name} ${behind} ORDER BY ${ordered} LIMIT ${pageSize}`,
    ...(after ? key.map((column) => after[column] ?? null) : []),
  )
}
