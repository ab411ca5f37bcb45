import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { findAssets } from "./find-assets.ts"
import { rowLister } from "./list-rows.ts"
import { openTable, pairRowOf } from "./table-file.ts"
import { emptySlot, splitWordPieces } from "./word-pieces.ts"

test("cached words give the same rows as tokenizing them again", () => {
  const assets = findAssets() ?? ""
  const opened = openTable(join(assets, "static-minilm-pca256-v1.bin"))
  if (opened.kind !== "opened") throw new Error(opened.reason)
  const { table } = opened
  const listRows = rowLister(table)
  const architecture = readFileSync(join(assets, "..", "ARCHITECTURE.md"), "utf8")
  const long = [`${"xq".repeat(45)} ${"y".repeat(101)}`, "zqxj".repeat(24)]
  for (const text of [architecture, "", " ", "café 日本 😀, don't", ...long, architecture, "pull request", ...long]) {
    const pieces = splitWordPieces(text, table.pieces)
    const wanted = pieces.flatMap((piece, index) => {
      const next = pieces[index + 1]
      const pair = next === undefined ? emptySlot : pairRowOf(piece, next, table.pairs)
      return pair === emptySlot ? [piece] : [piece, pair]
    })
    const { rows, count } = listRows(text)
    expect([...rows.subarray(0, count)]).toEqual(wanted)
  }
  table.close()
})
