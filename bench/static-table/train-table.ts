import { seededRandom } from "../recall/seeded-random.ts"
import { shuffle } from "./shuffle.ts"

/** One text to learn: the rows it adds up, and the vector that their sum should point along. */
export type Example = { rows: Uint16Array; target: Float32Array }

export type TrainingOptions = {
  dimensions: number
  epochs: number
  batch: number
  learningRate: number
  /** How sharply one text is distinguished from the others in its batch. */
  temperature: number
  /** Weight of telling texts apart, beside pointing the right way. */
  contrast: number
  /** Weight of two texts that mean the same finding each other. */
  pairing: number
  seed: number
  report?: (line: string) => void
}

/** Improves the table in place: sums of rows learn to imitate the targets, and pairs of examples (by index) to find each other. */
export function trainTable(
  table: Float32Array,
  examples: Example[],
  pairs: [number, number][],
  options: TrainingOptions,
): void {
  const random = seededRandom(options.seed)
  const adam = startAdam(table, options.dimensions)
  const paired = new Set(pairs.flat())
  const singles = examples.map((_, index) => index).filter((index) => !paired.has(index))
  const steps =
    options.epochs * (Math.ceil(singles.length / options.batch) + Math.ceil((2 * pairs.length) / options.batch))
  let step = 0
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    const batches = shuffle(
      [...cutBatches(shuffle(singles, random), options.batch), ...pairBatches(shuffle(pairs, random), options.batch)],
      random,
    )
    let loss = 0
    for (const batch of batches) {
      const rate = options.learningRate * Math.min(1, (step + 1) / 100) * (1 - step / steps)
      loss += learnBatch(table, examples, batch, adam, rate, options)
      step++
    }
    options.report?.(`epoch ${epoch + 1}: mean loss ${(loss / batches.length).toFixed(4)}`)
  }
}

/** `halves`: the second half of the batch holds the mates of the first, in the same order. */
type Batch = { members: number[]; halves: boolean }

function cutBatches(indexes: number[], size: number): Batch[] {
  const batches: Batch[] = []
  for (let start = 0; start < indexes.length; start += size)
    batches.push({ members: indexes.slice(start, start + size), halves: false })
  return batches
}

function pairBatches(pairs: [number, number][], size: number): Batch[] {
  const batches: Batch[] = []
  for (let start = 0; start < pairs.length; start += size / 2) {
    const some = pairs.slice(start, start + size / 2)
    batches.push({ members: [...some.map(([first]) => first), ...some.map(([, second]) => second)], halves: true })
  }
  return batches
}

function learnBatch(
  table: Float32Array,
  examples: Example[],
  batch: Batch,
  adam: Adam,
  rate: number,
  options: TrainingOptions,
): number {
  const { dimensions } = options
  const count = batch.members.length
  const chosen = batch.members.map((index) => examples[index] as Example)
  const units = new Float32Array(count * dimensions)
  const targets = new Float32Array(count * dimensions)
  const lengths = new Float32Array(count)
  chosen.forEach((example, index) => {
    lengths[index] = addUp(table, example.rows, units.subarray(index * dimensions, (index + 1) * dimensions))
    targets.set(example.target, index * dimensions)
  })
  const gradient = new Float32Array(count * dimensions)
  let loss = 0
  for (let index = 0; index < units.length; index++) {
    loss += (1 / dimensions - (units[index] as number) * (targets[index] as number)) / count
    gradient[index] = -(targets[index] as number)
  }
  if (options.contrast > 0) loss += contrast(units, targets, gradient, undefined, count, options.contrast, options)
  if (options.pairing > 0 && batch.halves) {
    const half = units.length / 2
    loss += contrast(
      units.subarray(0, half),
      units.subarray(half),
      gradient.subarray(0, half),
      gradient.subarray(half),
      count / 2,
      options.pairing,
      options,
    )
  }
  chosen.forEach((example, index) => {
    const start = index * dimensions
    throughUnitLength(
      units.subarray(start, start + dimensions),
      gradient.subarray(start, start + dimensions),
      lengths[index] as number,
    )
    for (const row of example.rows) collect(adam, row, gradient, start, dimensions)
  })
  applyAdam(table, adam, rate, dimensions)
  return loss
}

/** Sum of the rows as a unit vector; returns the length it had. */
function addUp(table: Float32Array, rows: Uint16Array, unit: Float32Array): number {
  const dimensions = unit.length
  for (const row of rows) {
    const start = row * dimensions
    for (let index = 0; index < dimensions; index++)
      unit[index] = (unit[index] as number) + (table[start + index] as number)
  }
  let square = 1e-12
  for (let index = 0; index < dimensions; index++) square += (unit[index] as number) ** 2
  const length = Math.sqrt(square)
  for (let index = 0; index < dimensions; index++) unit[index] = (unit[index] as number) / length
  return length
}

/** Softmax over the batch: each left vector should pick its own right one. Adds to the gradients; returns the mean loss, weighted. */
function contrast(
  left: Float32Array,
  right: Float32Array,
  leftGradient: Float32Array,
  rightGradient: Float32Array | undefined,
  count: number,
  weight: number,
  options: TrainingOptions,
): number {
  const { dimensions, temperature } = options
  const shares = new Float32Array(count)
  let loss = 0
  for (let row = 0; row < count; row++) {
    const own = row * dimensions
    let highest = Number.NEGATIVE_INFINITY
    for (let column = 0; column < count; column++) {
      const other = column * dimensions
      let dot = 0
      for (let index = 0; index < dimensions; index++)
        dot += (left[own + index] as number) * (right[other + index] as number)
      shares[column] = dot / temperature
      if (dot / temperature > highest) highest = dot / temperature
    }
    let sum = 0
    for (let column = 0; column < count; column++)
      sum += shares[column] = Math.exp((shares[column] as number) - highest)
    loss -= Math.log((shares[row] as number) / sum + 1e-12)
    for (let column = 0; column < count; column++) {
      const pull = (weight * ((shares[column] as number) / sum - (column === row ? 1 : 0))) / temperature
      if (Math.abs(pull) < 1e-4) continue
      const other = column * dimensions
      for (let index = 0; index < dimensions; index++)
        leftGradient[own + index] = (leftGradient[own + index] as number) + pull * (right[other + index] as number)
      if (!rightGradient) continue
      for (let index = 0; index < dimensions; index++)
        rightGradient[other + index] = (rightGradient[other + index] as number) + pull * (left[own + index] as number)
    }
  }
  return (weight * loss) / count
}

/** Turns the gradient at the unit vector into the one at the sum, in place. */
function throughUnitLength(unit: Float32Array, gradient: Float32Array, length: number): void {
  let along = 0
  for (let index = 0; index < unit.length; index++) along += (unit[index] as number) * (gradient[index] as number)
  for (let index = 0; index < unit.length; index++)
    gradient[index] = ((gradient[index] as number) - along * (unit[index] as number)) / length
}

/** Adam that touches only the rows a batch used. */
type Adam = {
  first: Float32Array
  second: Float32Array
  gradient: Float32Array
  touched: number[]
  isTouched: Uint8Array
  steps: Uint32Array
}

function startAdam(table: Float32Array, dimensions: number): Adam {
  const rows = table.length / dimensions
  return {
    first: new Float32Array(table.length),
    second: new Float32Array(table.length),
    gradient: new Float32Array(table.length),
    touched: [],
    isTouched: new Uint8Array(rows),
    steps: new Uint32Array(rows),
  }
}

function collect(adam: Adam, row: number, gradient: Float32Array, start: number, dimensions: number): void {
  if (!adam.isTouched[row]) {
    adam.isTouched[row] = 1
    adam.touched.push(row)
  }
  const at = row * dimensions
  for (let index = 0; index < dimensions; index++)
    adam.gradient[at + index] = (adam.gradient[at + index] as number) + (gradient[start + index] as number)
}

function applyAdam(table: Float32Array, adam: Adam, rate: number, dimensions: number): void {
  const { first, second, gradient } = adam
  for (const row of adam.touched) {
    const step = (adam.steps[row] as number) + 1
    adam.steps[row] = step
    const firstBias = 1 - 0.9 ** step
    const secondBias = 1 - 0.999 ** step
    const end = (row + 1) * dimensions
    for (let index = row * dimensions; index < end; index++) {
      const slope = gradient[index] as number
      gradient[index] = 0
      const momentum = 0.9 * (first[index] as number) + 0.1 * slope
      const energy = 0.999 * (second[index] as number) + 0.001 * slope * slope
      first[index] = momentum
      second[index] = energy
      table[index] =
        (table[index] as number) - (rate * (momentum / firstBias)) / (Math.sqrt(energy / secondBias) + 1e-8)
    }
    adam.isTouched[row] = 0
  }
  adam.touched.length = 0
}
