import type { Ask } from "../../disk/postgres/driver.ts"

/** True where the server has pgvector and the table has its column. */
export const hasVectorColumn = `EXISTS (SELECT 1 FROM pg_attribute
  WHERE attrelid = 'drey.memory_bits'::regclass AND attname = 'vector' AND NOT attisdropped)`

export async function hasWholeVectors(ask: Ask): Promise<boolean> {
  const { rows } = await ask(`SELECT ${hasVectorColumn} AS has`)
  return rows[0]?.has === true
}
