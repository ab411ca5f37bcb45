import type { Database, SqlValue } from "../disk/sqlite.ts"
import { dimensions, type IndexStats, type Model, models } from "./index-store.ts"
import type { ItemSource } from "./item.ts"
import { readMeta } from "./meta.ts"
import { schemaVersion } from "./schema.ts"
import { readLengths } from "./words-writer.ts"

export function indexStats(database: Database): Omit<IndexStats, "bytes"> {
  const count = (sql: string) => Number(database.prepare<{ n: number }>(`SELECT ${sql} AS n`).get()?.n ?? 0)
  const bySource = database
    .prepare<{ source: ItemSource; n: number }>("SELECT source, count(*) AS n FROM items GROUP BY source")
    .all()
  const vectorsOf = (model: Model) => ({
    id: readMeta(database, `model.${model}`)?.toString(),
    items: count(`(SELECT count(*) FROM ${model}_vectors)`),
    passages: count(`(SELECT coalesce(sum(length(vectors)), 0) / ${dimensions} FROM ${model}_vectors)`),
  })
  return {
    schema: schemaVersion,
    items: count("(SELECT count(*) FROM items)"),
    sources: Object.fromEntries(bySource.map(({ source, n }) => [source, n])),
    vectors: { static: vectorsOf("static"), minilm: vectorsOf("minilm") },
    terms: count("(SELECT count(*) FROM terms)"),
    links: count("(SELECT count(*) FROM links)"),
    aliases: count("(SELECT count(*) FROM aliases)"),
  }
}

/**
 * Every row without the numbers that depend on history, so that an incrementally built index equals one built at once.
 */
export function dumpIndex(database: Database): string[] {
  const all = (sql: string) =>
    database
      .prepare<Record<string, SqlValue>>(sql)
      .all()
      .map((row) => JSON.stringify(row))
  const place =
    "JOIN items ON items.row = held.row JOIN origins ON origins.number = items.origin ORDER BY origins.key, position"
  return [
    ...all("SELECT 'origin' AS kind, key, stamp FROM origins ORDER BY key"),
    ...all(
      `SELECT 'item' AS kind, origins.key AS place, items.*, NULL AS row, NULL AS origin, hex(text) AS text, hex(payload) AS payload FROM contents AS held ${place}`,
    ),
    ...all(`SELECT 'terms' AS kind, origins.key, position, hex(list) AS list FROM term_lists AS held ${place}`),
    ...all("SELECT 'term' AS kind, hash, documents FROM terms ORDER BY hash"),
    ...all("SELECT 'link' AS kind, older, newer, newer_at FROM links ORDER BY older, newer"),
    ...models.flatMap((model) =>
      all(
        `SELECT '${model}' AS kind, origins.key, position, hex(vectors) AS vectors FROM ${model}_vectors AS held ${place}`,
      ),
    ),
    JSON.stringify({ kind: "lengths", ...readLengths(database) }),
  ]
}
