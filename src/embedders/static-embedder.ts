import { join } from "node:path"
import { type Embedder, sharedSpace, toUnitLength } from "./embedder.ts"
import { findAssets } from "./find-assets.ts"
import { rowLister } from "./list-rows.ts"
import { addRow, type SumRows, sumLoadedRows } from "./sum-rows.ts"
import { openTable, type TableFile } from "./table-file.ts"

/** The table of word-piece vectors: embeds in microseconds, without a model. */
export type StaticEmbedder = Embedder & {
  embedNow(text: string): Float32Array
  close(): void
}

export type StaticOutcome = { kind: "ready"; embedder: StaticEmbedder } | { kind: "unavailable"; reason: string }

/** Opens the shipped table, or another one. Rows are read one by one; after some thousand the whole table is loaded. */
export function openStaticEmbedder(options: { path?: string; whole?: boolean } = {}): StaticOutcome {
  const path = options.path ?? shippedTable()
  if (path === undefined) return { kind: "unavailable", reason: "the files shipped with Drey were not found" }
  const opened = openTable(path)
  if (opened.kind === "unusable") return { kind: "unavailable", reason: opened.reason }
  const { table } = opened
  if (table.dimensions !== sharedSpace.dimensions) {
    table.close()
    return {
      kind: "unavailable",
      reason: `${path} has ${table.dimensions} dimensions instead of ${sharedSpace.dimensions}`,
    }
  }
  const sumRows = rowReader(table, options.whole === true)
  const listRows = rowLister(table)
  const embedNow = (text: string) => {
    const { rows, count } = listRows(text)
    const sum = new Float32Array(table.dimensions)
    sumRows(rows, count, sum)
    return toUnitLength(sum)
  }
  return {
    kind: "ready",
    embedder: {
      id: `static:${sharedSpace.id}:${table.mark.toString(16)}`,
      dimensions: table.dimensions,
      embedNow,
      embed: async (texts) => texts.map(embedNow),
      close: table.close,
    },
  }
}

function shippedTable(): string | undefined {
  const assets = findAssets()
  return assets && join(assets, `static-${sharedSpace.id}.bin`)
}

const readsBeforeLoading = 2000 // up to here, single reads cost less than the whole file

function rowReader(table: TableFile, whole: boolean): SumRows {
  let sumLoaded = whole ? sumLoadedRows(table) : undefined
  const single = new Uint8Array(table.rowBytes)
  let reads = 0
  return (rows, count, sum) => {
    reads += count
    if (reads > readsBeforeLoading) sumLoaded ??= sumLoadedRows(table)
    if (sumLoaded) return sumLoaded(rows, count, sum)
    for (let index = 0; index < count; index++) {
      table.readRow(rows[index] as number, single)
      addRow(sum, single, 0)
    }
  }
}
