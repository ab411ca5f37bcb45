import { makeAmendedPairs } from "./amended-pairs.ts"
import type { DataSet } from "./data.ts"
import { loadDevbench } from "./data-devbench.ts"
import { loadLocomo } from "./data-locomo.ts"
import { loadMemorycode } from "./data-memorycode.ts"
import { loadOwn } from "./data-own.ts"
import { loadRecords } from "./data-records.ts"

const outside: Record<string, (folder: string) => DataSet> = {
  squad: (folder) => loadRecords(folder, "squad"),
  adr: (folder) => loadRecords(folder, "adr"),
  "locomo-turn": (folder) => loadLocomo(folder, "turn"),
  "locomo-session": (folder) => loadLocomo(folder, "session"),
  memorycode: (folder) => loadMemorycode(folder, false),
  "memorycode-linked": (folder) => loadMemorycode(folder, true),
  devbench: loadDevbench,
}

/** Part of this repository, so that there is something to measure on wherever it is cloned. */
const madeHere: Record<string, () => DataSet> = {
  own: loadOwn,
  "amended-linked": () => makeAmendedPairs(true),
  amended: () => makeAmendedPairs(false),
}

/** The data sets that are read from a folder. */
export const outsideNames = Object.keys(outside)

export const dataSetNames = [...outsideNames, ...Object.keys(madeHere)]

export function loadDataSet(folder: string | undefined, name: string): DataSet {
  const made = madeHere[name]
  if (made) return made()
  const load = outside[name]
  if (!load) throw new Error(`There is no data set "${name}"; there are ${dataSetNames.join(", ")}.`)
  if (folder === undefined) throw new Error(`The data set "${name}" is read from a folder, and none is named.`)
  return load(folder)
}
