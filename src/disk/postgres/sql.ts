import type { PostgresValue } from "./driver.ts"

export type PostgresStatement = {
  sql: string
  /** For each `$n` the number of the question mark, or the name. */
  places: (number | string)[]
}

const kept = new Map<string, PostgresStatement>()

/**
 * A statement of the learned store in PostgreSQL's dialect: `?` and `:name` become `$n`, a JSON list is unfolded by one of our functions,
 * and every key begins with the tenant, which the statements do not mention. Everything else is common to both.
 */
export function toPostgres(sql: string): PostgresStatement {
  const known = kept.get(sql)
  if (known) return known
  const places: (number | string)[] = []
  let marks = 0
  const place = (of: number | string) => {
    const at = typeof of === "string" ? places.indexOf(of) : -1
    return `$${at >= 0 ? at + 1 : places.push(of)}`
  }
  const translated = sql.replace(
    /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|::|:([a-z_]\w*)|\?|\bjson_each\b|\bON CONFLICT \(/gi,
    (piece, name: string | undefined) => {
      if (name !== undefined) return place(name)
      if (piece === "?") return place(marks++)
      if (piece === "json_each") return "drey_each"
      return /^ON CONFLICT/i.test(piece) ? "ON CONFLICT (tenant_id, " : piece
    },
  )
  const result = { sql: translated, places }
  kept.set(sql, result)
  return result
}

/** The values of a statement in the order of `$n`. */
export function orderParameters(
  { places }: PostgresStatement,
  parameters: readonly PostgresValue[] | readonly [Record<string, PostgresValue>],
): PostgresValue[] {
  const [first] = parameters
  const named = isNamed(first) ? first : undefined
  return places.map((place) =>
    typeof place === "number" ? (parameters[place] as PostgresValue) : ((named?.[place] ?? null) as PostgresValue),
  )
}

function isNamed(value: unknown): value is Record<string, PostgresValue> {
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array)
}

/** As PostgreSQL writes an array of numbers. */
export function numberArray(numbers: Iterable<number>): string {
  return `{${[...numbers].join(",")}}`
}

/** As PostgreSQL writes an array of texts. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`
}
