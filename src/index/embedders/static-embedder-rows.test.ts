import { join } from "node:path"
import { expect, test } from "vitest"
import { findAssets } from "./embedder.ts"
import { sumLoadedRows, sumRowsPlain } from "./static-embedder.ts"
import { openTable } from "./table-file.ts"

test("WebAssembly and plain JavaScript sum rows to bit-identical results, however many there are", () => {
  const opened = openTable(join(findAssets() ?? "", "static-minilm-pca256-v1.bin"))
  if (opened.kind !== "opened") throw new Error(opened.reason)
  const { table } = opened
  const [fast, plain] = [sumLoadedRows(table), sumRowsPlain(table)]
  expect(fast.toString()).not.toBe(plain.toString())
  const rows = Int32Array.from({ length: 9000 }, (_, index) => (index * 7919) % table.rowCount)
  for (const count of [0, 1, 2, 100, 4096, 4097, 9000]) {
    const sums = [fast, plain].map((sumRows) => {
      const sum = new Float32Array(table.dimensions).fill(0.5)
      sumRows(rows, count, sum)
      return sum
    })
    expect(sums[0]).toEqual(sums[1])
  }
  table.close()
})
