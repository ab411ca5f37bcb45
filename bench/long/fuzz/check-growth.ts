import { chooser } from "./chooser.ts"
import { makeInputText } from "./make-input.ts"
import type { OpenReader, Reader } from "./reader.ts"
import { tryInput } from "./try-input.ts"

export type Growth = {
  /** Time grows with the size to the power of this: 1 is as it should be, 2 is quadratic. */
  power: number
  /** At the largest size. */
  ms: number
  input: Buffer
  problem?: string
}

const smallest = 8 * 1024
const tellingMs = 8
const steepest = 1.65

/** Has one shape read at three sizes, each twice the one before, beginning with the first that takes measurable time. */
export async function checkGrowth(reader: Reader, open: OpenReader, shape: Shape): Promise<Growth> {
  const largest = reader.largest ?? 512 * 1024
  const timed = async (size: number) => {
    const input = Buffer.from(fillShape(shape, size), reader.binary ? "latin1" : "utf8")
    const first = await tryInput({ ...reader, patience: Number.POSITIVE_INFINITY }, open, input)
    const second = await tryInput({ ...reader, patience: Number.POSITIVE_INFINITY }, open, input)
    return { ms: Math.min(first.ms, second.ms), input, problem: first.problem }
  }
  let size = smallest
  let small = await timed(size)
  while (small.ms < tellingMs && size * 8 <= largest) {
    size *= 2
    small = await timed(size)
  }
  const middle = await timed(size * 2)
  const large = await timed(size * 4)
  const power = Math.log2(Math.max(large.ms, 0.01) / Math.max(small.ms, 0.01)) / 2
  const { ms, input } = large
  const problem = small.problem ?? middle.problem ?? large.problem
  if (problem !== undefined) return { power, ms, input, problem }
  const isSteep = power > steepest && ms > 10 * tellingMs && large.ms > 2.6 * middle.ms
  if (!isSteep) return { power, ms, input }
  return { power, ms, input: small.input, problem: `time grows with the size to the power of ${power.toFixed(2)}` }
}

export type Shape = { before: string; unit: string; after: string }

/** An input with a piece of it to be repeated: whole lines, a few characters, or a mark that opens something. */
export function shapeOf(reader: Reader, seed: number, index: number): Shape {
  const choose = chooser(`shape ${seed} ${reader.name} ${index}`)
  const text = makeInputText(reader, seed, index)
  const at = choose.below(text.length + 1)
  if (choose.chance(0.4)) return { before: text.slice(0, at), unit: choose.from(openers), after: text.slice(at) }
  const isLines = choose.chance(0.5)
  const start = isLines ? text.lastIndexOf("\n", at) + 1 : at
  const lineEnd = text.indexOf("\n", at)
  const end = isLines ? (lineEnd < 0 ? text.length : lineEnd + 1) : Math.min(text.length, at + 1 + choose.below(30))
  return { before: text.slice(0, start), unit: text.slice(start, end) || " ", after: text.slice(end) }
}

const openers = [
  " ",
  "\n",
  "\t",
  "a",
  "[",
  "{",
  "(",
  "<",
  "<a",
  "<!--",
  "`",
  "```\n",
  "*",
  "**",
  "_",
  "> ",
  "- ",
  "  - ",
  "#",
  "### x\n",
  "| ",
  "---\n",
  "\\",
  '"',
  "'",
  "&a ",
  "a: ",
  "a.",
  "a,",
  "-",
  ":",
  "/",
  "../",
  "=",
  "0",
  "a b ",
  '{"a":',
  "[[",
  "[a]\n",
  "\r\n",
  "é",
  "\u200b",
]

export function fillShape({ before, unit, after }: Shape, size: number): string {
  return before + unit.repeat(Math.max(1, Math.floor(size / unit.length))) + after
}
