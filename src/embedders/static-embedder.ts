import { join } from "node:path"
import { type Embedder, sharedSpace, toUnitLength } from "./embedder.ts"
import { findAssets } from "./find-assets.ts"
import { openTable, pairRowOf, type TableFile } from "./table-file.ts"
import { emptySlot, splitWordPieces } from "./word-pieces.ts"

/** The table of word-piece vectors: an answer in microseconds, without a model. */
export type StaticEmbedder = Embedder & {
  embedNow(text: string): Float32Array
  close(): void
}

export type StaticOutcome = { kind: "ready"; embedder: StaticEmbedder } | { kind: "unavailable"; reason: string }

/** Opens the shipped table, or another one. Rows are read one by one; after some thousand the table is loaded whole. */
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
  const rows = rowReader(table, options.whole === true)
  const embedNow = (text: string) => embedText(text, table, rows)
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

type RowReader = { addTo(sum: Float64Array, row: number): void }

/** Adds up the rows of a text's pieces, and of the neighbours that have one of their own. */
function embedText(text: string, table: TableFile, rows: RowReader): Float32Array {
  const pieces = splitWordPieces(text, table.pieces)
  const sum = new Float64Array(table.dimensions) // adding in 32 bits would round, and take longer
  for (let index = 0; index < pieces.length; index++) {
    const piece = pieces[index] ?? 0
    rows.addTo(sum, piece)
    const next = pieces[index + 1]
    if (next === undefined) continue
    const pair = pairRowOf(piece, next, table.pairs)
    if (pair !== emptySlot) rows.addTo(sum, pair)
  }
  return toUnitLength(new Float32Array(sum))
}

const readsBeforeLoading = 2000 // single reads up to here cost less than the whole file

function rowReader(table: TableFile, whole: boolean): RowReader {
  let loaded = whole ? rowsOf(table.loadRows()) : undefined
  const single = rowsOf(new Uint8Array(table.rowBytes))
  let reads = 0
  return {
    addTo(sum, row) {
      if (!loaded && ++reads > readsBeforeLoading) loaded = rowsOf(table.loadRows())
      if (loaded) addRow(sum, loaded, row * table.rowBytes)
      else {
        table.readRow(row, single.bytes)
        addRow(sum, single, 0)
      }
    },
  }
}

type Rows = { bytes: Uint8Array; scales: Float32Array; values: Int8Array }

function rowsOf(bytes: Uint8Array): Rows {
  return { bytes, scales: new Float32Array(bytes.buffer), values: new Int8Array(bytes.buffer) }
}

function addRow(sum: Float64Array, { scales, values }: Rows, at: number): void {
  const scale = scales[at >> 2] ?? 0
  const start = at + 4
  for (let index = 0; index < sum.length; index++) {
    sum[index] = (sum[index] as number) + scale * (values[start + index] as number)
  }
}
