import { DreyError } from "../../../src/errors.ts"
import { findStrangePrototype } from "./find-strange-prototype.ts"
import type { OpenReader, Reader } from "./reader.ts"

export type Trial = {
  /** That the processor worked, whatever else the machine had to do. */
  ms: number
  refused: boolean
  problem?: string
}

/** Has an input read and says what is wrong with how that went. */
export async function tryInput(reader: Reader, open: OpenReader, input: Buffer): Promise<Trial> {
  let trial = await readOnce(open, input)
  const allowed = (reader.patience ?? 50) + (input.length / 1024) * msPerKilobyte
  // Garbage of earlier inputs may have been collected meanwhile: only what is slow every time is slow.
  for (let again = 0; again < 3 && trial.problem === undefined && trial.ms > allowed; again++)
    trial = await readOnce(open, input)
  if (trial.problem !== undefined || trial.ms <= allowed) return trial
  return { ...trial, problem: `too slow: ${Math.round(trial.ms)} ms for ${input.length} bytes` }
}

const msPerKilobyte = 4

async function readOnce(open: OpenReader, input: Buffer): Promise<Trial> {
  const began = process.cpuUsage()
  let refused = false
  let problem: string | undefined
  try {
    const result = open.read(input)
    const value = result instanceof Promise ? await result : result
    problem = findStrangePrototype(value)
  } catch (error) {
    refused = error instanceof DreyError
    if (!refused) problem = describe(error)
  }
  problem ??= pollution()
  const { user, system } = process.cpuUsage(began)
  return { ms: (user + system) / 1000, refused, ...(problem === undefined ? {} : { problem }) }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${String(error)}`
  const frame = error.stack?.split("\n").find((line) => /^\s+at /.test(line) && !line.includes("node:"))
  return `${error.name}: ${error.message.slice(0, 300)}${frame === undefined ? "" : ` (${frame.trim()})`}`
}

const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype]
const namesAtFirst = prototypes.map((each) => Object.getOwnPropertyNames(each).length)

function pollution(): string | undefined {
  const isPolluted = prototypes.some((each, at) => Object.getOwnPropertyNames(each).length !== namesAtFirst[at])
  if (!isPolluted) return undefined
  Reflect.deleteProperty(Object.prototype, "polluted")
  return "a prototype that all objects share was changed"
}
