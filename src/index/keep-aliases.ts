import type { Database } from "../disk/sqlite.ts"
import type { OldRow, Placed } from "./diff-origin.ts"

/** An edited title changes the id: the id that vanished becomes an alias of the one with the same text. */
export function keepAliases(database: Database, removed: OldRow[], added: Placed[]): void {
  const isThere = (id: string) => database.prepare("SELECT 1 FROM items WHERE id = ?").get(id) !== undefined
  const leaving = groupBy(
    removed.filter(({ id, body_hash }) => body_hash !== "" && !isThere(id)),
    ({ body_hash }) => body_hash,
  )
  const coming = groupBy(leaving.size === 0 ? [] : added, ({ body }) => body)
  for (const [body, olds] of leaving) {
    const [old, news] = [olds[0], coming.get(body)]
    // Two items with the same text: it is ambiguous which became which.
    if (!old || olds.length > 1 || news?.length !== 1 || !news[0]) continue
    const id = news[0].item.id
    database.prepare("UPDATE aliases SET id = ? WHERE id = ?").run(id, old.id)
    database.prepare("INSERT OR REPLACE INTO aliases (alias, id) VALUES (?, ?)").run(old.id, id)
  }
  if (!database.prepare("SELECT 1 FROM aliases LIMIT 1").get()) return
  const drop = database.prepare("DELETE FROM aliases WHERE alias = ?") // an item's own id is not an alias of another
  for (const { item } of added) drop.run(item.id)
}

function groupBy<Value>(values: Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>()
  for (const value of values) {
    const key = keyOf(value)
    groups.set(key, [...(groups.get(key) ?? []), value])
  }
  return groups
}
