import type { Arm } from "./arm.ts"
import type { DataSet, Query, Split } from "./data.ts"
import { sample } from "./seeded-random.ts"
import type { Table } from "./tables.ts"

export const splits: Split[] = ["development", "test"]

/** The queries of one table in one half of the data, or in both. */
export function queriesOf({ kinds }: Table, set: DataSet, split: Split | "both"): Query[] {
  const isInside = (store: { split: Split }) => split === "both" || store.split === split
  const stores = new Set(set.stores.filter(isInside).map(({ name }) => name))
  return set.queries.filter(({ store, kind, answerable }) => {
    return answerable && stores.has(store) && (kinds === undefined || kinds.includes(kind))
  })
}

/** What an arm is asked over all tables of a set: everything, or its sample of each table and half. */
export function askedOf(arm: Arm, tables: Table[], set: DataSet): Query[] {
  return sampleOf(arm.sample ?? Number.POSITIVE_INFINITY, tables, set)
}

/** So many queries of each table and half, drawn with a seed. */
export function sampleOf(count: number, tables: Table[], set: DataSet): Query[] {
  const drawn = tables.flatMap((table) => splits.flatMap((split) => sample(queriesOf(table, set, split), count)))
  return [...new Set(drawn)]
}
