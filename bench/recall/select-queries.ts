import type { Arm } from "./arm.ts"
import type { DataSet, Query, Split } from "./data.ts"
import { sample } from "./seeded-random.ts"
import type { Table } from "./tables.ts"

export const splits: Split[] = ["development", "test"]

/** The queries of one table in one half of the data. */
export function queriesOf({ kinds }: Table, set: DataSet, split: Split): Query[] {
  const stores = new Set(set.stores.filter((store) => store.split === split).map(({ name }) => name))
  return set.queries.filter(({ store, kind, answerable }) => {
    return answerable && stores.has(store) && (kinds === undefined || kinds.includes(kind))
  })
}

/** What an arm is asked over all tables of a set: everything, or its sample of each table and half. */
export function askedOf(arm: Arm, tables: Table[], set: DataSet): Query[] {
  const asked = tables.flatMap((table) => {
    return splits.flatMap((split) => sample(queriesOf(table, set, split), arm.sample ?? Number.POSITIVE_INFINITY))
  })
  return [...new Set(asked)]
}
