import { projectionMagic } from "../../src/index/embedders/minilm-embedder.ts"

export type FittedProjection = {
  mean: Float32Array /** `dimensions` rows of the input's length, the strongest first. */
  axes: Float32Array
  dimensions: number
}

/** Principal axes of the given vectors (laid end to end), by Jacobi rotations of their covariance. */
export function fitProjection(vectors: Float32Array, width: number, dimensions: number): FittedProjection {
  const count = vectors.length / width
  const mean = new Float64Array(width)
  for (let row = 0; row < count; row++)
    for (let column = 0; column < width; column++)
      mean[column] = at(mean, column) + at(vectors, row * width + column) / count
  const { values, axes } = eigenvectors(covarianceOf(vectors, mean, width), width)
  const order = Array.from(values.keys()).sort((left, right) => at(values, right) - at(values, left))
  const kept = new Float32Array(dimensions * width)
  order.slice(0, dimensions).forEach((axis, row) => {
    // An axis has no direction of its own: let its largest part be positive, so that every run gives the same.
    let largest = 0
    for (let column = 0; column < width; column++) {
      const part = at(axes, column * width + axis)
      if (Math.abs(part) > Math.abs(largest)) largest = part
    }
    for (let column = 0; column < width; column++)
      kept[row * width + column] = Math.sign(largest) * at(axes, column * width + axis)
  })
  return { mean: Float32Array.from(mean), axes: kept, dimensions }
}

/** The bytes of a projection file, as `openProjection` reads them. */
export function writeProjection({ mean, axes, dimensions }: FittedProjection): Uint8Array {
  const header = new Uint32Array([projectionMagic, mean.length, dimensions])
  return Buffer.concat([header, mean, axes].map((part) => new Uint8Array(part.buffer)))
}

function covarianceOf(vectors: Float32Array, mean: Float64Array, width: number): Float64Array {
  const sums = new Float64Array(width * width)
  const centred = new Float64Array(width)
  for (let start = 0; start < vectors.length; start += width) {
    for (let column = 0; column < width; column++) centred[column] = at(vectors, start + column) - at(mean, column)
    for (let row = 0; row < width; row++) {
      const part = at(centred, row)
      const offset = row * width
      for (let column = row; column < width; column++)
        sums[offset + column] = at(sums, offset + column) + part * at(centred, column)
    }
  }
  for (let row = 0; row < width; row++) {
    for (let column = row; column < width; column++) {
      const value = (at(sums, row * width + column) * width) / vectors.length
      sums[row * width + column] = value
      sums[column * width + row] = value
    }
  }
  return sums
}

/** Of a symmetric matrix, which is destroyed; eigenvectors are the columns of `axes`. */
function eigenvectors(matrix: Float64Array, width: number): { values: Float64Array; axes: Float64Array } {
  const axes = new Float64Array(width * width)
  for (let index = 0; index < width; index++) axes[index * width + index] = 1
  for (let sweep = 0; sweep < 12; sweep++) {
    for (let row = 0; row < width - 1; row++) {
      for (let column = row + 1; column < width; column++) rotate(matrix, axes, width, row, column)
    }
  }
  return { values: Float64Array.from({ length: width }, (_, index) => at(matrix, index * width + index)), axes }
}

function rotate(matrix: Float64Array, axes: Float64Array, width: number, p: number, q: number): void {
  const between = at(matrix, p * width + q)
  if (Math.abs(between) < 1e-14) return
  const angle = (at(matrix, q * width + q) - at(matrix, p * width + p)) / (2 * between)
  const tangent = (angle < 0 ? -1 : 1) / (Math.abs(angle) + Math.sqrt(angle * angle + 1))
  const cosine = 1 / Math.sqrt(tangent * tangent + 1)
  const sine = tangent * cosine
  turn(matrix, p, q, width, width, cosine, sine)
  turn(matrix, p * width, q * width, 1, width, cosine, sine)
  turn(axes, p, q, width, width, cosine, sine)
}

/** Turns two columns (or rows) of a matrix by one angle. */
function turn(
  matrix: Float64Array,
  first: number,
  second: number,
  step: number,
  width: number,
  cosine: number,
  sine: number,
): void {
  for (let index = 0; index < width; index++) {
    const left = at(matrix, first + index * step)
    const right = at(matrix, second + index * step)
    matrix[first + index * step] = cosine * left - sine * right
    matrix[second + index * step] = sine * left + cosine * right
  }
}

function at(values: Float64Array | Float32Array, index: number): number {
  return values[index] as number
}
