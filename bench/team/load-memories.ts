import { createHash } from "node:crypto"
import type { PostgresDriver, TenantScope } from "../../src/disk/postgres/driver.ts"
import { textArray } from "../../src/disk/postgres/sql.ts"
import { indexMemories } from "../../src/index/postgres/memory-indexer.ts"
import { tenantIdOf } from "../../src/memories/postgres/tenancy.ts"
import { comparable, packVector, type StoreEmbedder } from "../../src/memories/similarity.ts"
import { makeText, randomFrom } from "./made-up-memory.ts"

const atOnce = 2000
const kinds = ["pattern", "pattern", "invariant", "note", "guard"]

export type TenantPlan = { slug: string; memories: number; reach?: TenantScope }

/** Gives a tenant so many memories, words and vectors included, as the store itself would; those that are there stay. */
export async function loadMemories(
  driver: PostgresDriver,
  embed: StoreEmbedder,
  { slug, memories, reach = { tenant: tenantIdOf(slug), teams: "all" } }: TenantPlan,
): Promise<number> {
  const there = await driver.within(reach, "write", async (ask) => {
    await ask(
      `INSERT INTO organisations (slug, name, created_at) VALUES ($1, $1, '2026-01-01T00:00:00.000Z') ON CONFLICT DO NOTHING`,
      [slug],
    )
    await ask(
      `INSERT INTO projects (project_id, root) SELECT 'p-' || n, '' FROM generate_series(1, 4) AS n ON CONFLICT DO NOTHING`,
    )
    return Number((await ask("SELECT count(*) AS n FROM memories")).rows[0]?.n)
  })
  for (let from = there; from < memories; from += atOnce) {
    const count = Math.min(atOnce, memories - from)
    const made = Array.from({ length: count }, (_, at) => makeRow(embed, slug, from + at))
    const column = (name: keyof (typeof made)[number]) => textArray(made.map((row) => row[name]))
    await driver.within(reach, "write", async (ask) => {
      await ask(
        `INSERT INTO memories (memory_id, project_id, scope, owner_type, owner_id, kind, tier, polarity, text, text_hash, status, confidence,
           trigger_json, embedding, embedding_model, embedding_dims, origin, trust, contributed_by, created_at, updated_at)
         SELECT id, nullif(project, ''), CASE project WHEN '' THEN 'global' ELSE 'project' END, 'org', $7, kind, 'long_term',
           CASE kind WHEN 'guard' THEN -1 ELSE 1 END, words, hash, 'active', 0.9, '{"tools":[],"heads":[],"paths":[],"fingerprints":[]}',
           decode(embedding, 'hex'), $8, 256, 'user', 3, 'Kim', '2026-02-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'
         FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS given (id, project, kind, words, hash, embedding)`,
        [
          column("id"),
          column("project"),
          column("kind"),
          column("text"),
          column("hash"),
          column("embedding"),
          slug,
          embed.id,
        ],
      )
      await ask("INSERT INTO memory_metrics (memory_id) SELECT memory_id FROM memories WHERE row_no IS NULL")
      await indexMemories(ask)
    })
  }
  return Math.max(0, memories - there)
}

function makeRow(embed: StoreEmbedder, slug: string, number: number) {
  const text = makeText(randomFrom(createHash("sha256").update(`${slug} ${number}`).digest().readUInt32LE()))
  const hash = createHash("sha256").update(`${slug}\n${number}`).digest("hex").slice(0, 16)
  const vector = packVector(comparable(text, embed))
  return {
    id: `m-${hash}`,
    project: number % 10 === 0 ? "" : `p-${(number % 4) + 1}`,
    kind: kinds[number % kinds.length] as string,
    text,
    hash,
    embedding: Buffer.from(vector?.bytes ?? []).toString("hex"),
  }
}
