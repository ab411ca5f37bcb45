import { readFileSync } from "node:fs"
import { codeOf } from "../disk/file-error.ts"
import { toUnitLength } from "./embedder.ts"

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
