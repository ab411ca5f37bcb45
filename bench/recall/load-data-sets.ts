import { makeAmendedPairs } from "./amended-pairs.ts"
import type { DataSet } from "./data.ts"
import { loadDevbench } from "./data-devbench.ts"
import { loadLocomo } from "./data-locomo.ts"
import { loadMemorycode } from "./data-memorycode.ts"
import { loadRecords } from "./data-records.ts"

const loaders: Record<string, (folder: string) => DataSet> = {
  squad: (folder) => loadRecords(folder, "squad"),
  adr: (folder) => loadRecords(folder, "adr"),
  "locomo-turn": (folder) => loadLocomo(folder, "turn"),
  "locomo-session": (folder) => loadLocomo(folder, "session"),
  memorycode: (folder) => loadMemorycode(folder, false),
  "memorycode-linked": (folder) => loadMemorycode(folder, true),
  "amended-linked": () => makeAmendedPairs(true),
  amended: () => makeAmendedPairs(false),
  devbench: loadDevbench,
}

export const dataSetNames = Object.keys(loaders)

export function loadDataSet(folder: string, name: string): DataSet {
  const load = loaders[name]
  if (!load) throw new Error(`There is no data set "${name}"; there are ${dataSetNames.join(", ")}.`)
  return load(folder)
}
