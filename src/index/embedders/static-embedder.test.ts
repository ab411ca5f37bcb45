import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { findAssets } from "./embedder.ts"
import { openStaticEmbedder, rowLister } from "./static-embedder.ts"
import { openTable, pairRowOf } from "./table-file.ts"
import { emptySlot, splitWordPieces } from "./word-pieces.ts"

const shipped = join(findAssets() ?? "", "static-minilm-pca256-v1.bin")
const folder = mkdtempSync(join(tmpdir(), "drey-table-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("the same text always has the same vector, of unit length", async () => {
  const table = embedder()
  const vector = table.embedNow("Use PostgreSQL for persistence")
  expect(vector.length).toBe(256)
  expect(dot(vector, vector)).toBeCloseTo(1, 5)
  expect(embedder().embedNow("Use PostgreSQL for persistence")).toEqual(vector)
  expect(await table.embed(["Use PostgreSQL for persistence"])).toEqual([vector])
})

test("rows read one by one and a fully loaded table give bit-identical results", () => {
  const texts = [
    readFileSync(join(shipped, "..", "..", "ARCHITECTURE.md"), "utf8"),
    "café 日本 😀",
    "pull request review",
    "",
  ]
  const single = embedder()
  const whole = embedder({ whole: true })
  for (const text of [...texts, ...texts]) expect(single.embedNow(text)).toEqual(whole.embedNow(text))
})

test("a text without a known word has a zero vector", () => {
  expect(embedder().embedNow("  ")).toEqual(new Float32Array(256))
})

const paraphrases = [
  ["where do we keep passwords and tokens", "Credentials live in the vault; nothing secret may be committed"],
  ["how to undo a bad deploy", "Roll back to the previous release image within five minutes"],
  ["which database should the backend use", "We chose PostgreSQL for persistence over MongoDB"],
  ["dark theme", "Colour schemes follow the operating system's night mode preference"],
  ["the server runs out of memory", "Heap leak: cap the cache and stream large files instead of buffering"],
  ["pictures take too much space", "Uploaded images are resized and converted to WebP"],
  ["work without internet", "Offline mode queues changes and synchronises when the network returns"],
  ["phone version of the product", "The mobile client is built in React Native for iOS and Android"],
  ["permissions per role", "Authorisation is role based: admin, editor and viewer"],
  ["how long do we keep logs", "Retention of audit records is ninety days"],
]

test("a question finds its answer among others without a common word", () => {
  const table = embedder()
  const answers = paraphrases.map(([, answer = ""]) => table.embedNow(answer))
  const found = paraphrases.filter(([question = ""], index) => {
    const likeness = answers.map((answer) => dot(answer, table.embedNow(question)))
    return likeness[index] === Math.max(...likeness)
  })
  expect(found.length).toBeGreaterThanOrEqual(paraphrases.length - 2)
})

test("a missing table is an outcome with its reason", () => {
  expect(openStaticEmbedder({ path: join(folder, "none.bin") })).toEqual({
    kind: "unavailable",
    reason: `${join(folder, "none.bin")} cannot be opened (ENOENT)`,
  })
})

test.each([
  ["an empty file", "is too short", (path: string) => writeFileSync(path, "")],
  ["a foreign file", "is not a vector table", (path: string) => writeFileSync(path, "x".repeat(10_000))],
  ["a file cut short", "wrong length", (path: string) => truncateSync(path, 5_000_000)],
  ["a file cut off in its slots", "wrong length", (path: string) => truncateSync(path, 1_000)],
  ["a file that grew", "wrong length", (path: string) => writeFileSync(path, "more", { flag: "a" })],
  ["a damaged header", "checksum", (path: string) => writeFileSync(path, flipped(readFileSync(path), 9))],
])("%s is an outcome with its reason", (name, reason, damage) => {
  const path = join(folder, `${name}.bin`)
  copyFileSync(shipped, path)
  damage(path)
  const outcome = openStaticEmbedder({ path })
  expect(outcome.kind === "unavailable" && outcome.reason).toContain(reason)
})

function embedder(options: { whole?: boolean } = {}) {
  const outcome = openStaticEmbedder(options)
  if (outcome.kind === "unavailable") throw new Error(outcome.reason)
  return outcome.embedder
}

function dot(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)
}

function flipped(bytes: Buffer, index: number): Buffer {
  bytes[index] = (bytes[index] ?? 0) ^ 1
  return bytes
}

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
