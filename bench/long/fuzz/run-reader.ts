import { checkGrowth, shapeOf } from "./check-growth.ts"
import { makeInput } from "./make-input.ts"
import type { OpenReader, Reader } from "./reader.ts"
import { shrink } from "./shrink.ts"
import { tryInput } from "./try-input.ts"

/** Inputs to be tried: by number, each alone or, for `growth`, at several sizes. */
export type Work = { reader: string; kind: "inputs" | "growth"; from: number; count: number }

export type Finding = { reader: string; index: number; problem: string; input: Buffer }

export type WorkReport = {
  tried: number
  refused: number
  bytes: number
  /** Milliseconds for each kilobyte, of inputs that have one. */
  slowest: { msPerKilobyte: number; index: number }
  steepest: { power: number; index: number }
  findings: Finding[]
}

/** Tries a span of inputs; `begin` is called with each number before it is tried, so that a hanging one is known. */
export async function runReader(
  reader: Reader,
  open: OpenReader,
  work: Work,
  seed: number,
  begin: (index: number) => void = () => {},
): Promise<WorkReport> {
  const report: WorkReport = {
    tried: 0,
    refused: 0,
    bytes: 0,
    slowest: { msPerKilobyte: 0, index: 0 },
    steepest: { power: 0, index: 0 },
    findings: [],
  }
  const known = new Set<string>()
  for (let index = work.from; index < work.from + work.count; index++) {
    begin(index)
    const { input, problem } =
      work.kind === "inputs"
        ? await tryOne(reader, open, seed, index, report)
        : await tryShape(reader, open, seed, index, report)
    report.tried++
    if (problem === undefined || known.has(kindOf(problem))) continue
    known.add(kindOf(problem))
    const isQuick = work.kind === "inputs" && !problem.startsWith("too slow")
    const stillFails = async (shorter: Buffer) =>
      kindOf((await tryInput(reader, open, shorter)).problem ?? "") === kindOf(problem)
    const smallest = isQuick ? await shrink(input, stillFails) : input
    report.findings.push({ reader: reader.name, index, problem, input: smallest })
  }
  return report
}

/** The same problem with other values in its words is one problem. */
export function kindOf(problem: string): string {
  return problem.replace(/"[^"]*"|'[^']*'|\d+/g, "…").slice(0, 120)
}

type Tried = { input: Buffer; problem: string | undefined }

async function tryOne(
  reader: Reader,
  open: OpenReader,
  seed: number,
  index: number,
  report: WorkReport,
): Promise<Tried> {
  const input = makeInput(reader, seed, index)
  const { ms, refused, problem } = await tryInput(reader, open, input)
  report.bytes += input.length
  if (refused) report.refused++
  const msPerKilobyte = input.length < 1024 ? 0 : ms / (input.length / 1024)
  if (msPerKilobyte > report.slowest.msPerKilobyte) report.slowest = { msPerKilobyte, index }
  return { input, problem }
}

async function tryShape(
  reader: Reader,
  open: OpenReader,
  seed: number,
  index: number,
  report: WorkReport,
): Promise<Tried> {
  const shape = shapeOf(reader, seed, index)
  const { power, ms, input, problem } = await checkGrowth(reader, open, shape)
  if (ms > 20 && power > report.steepest.power) report.steepest = { power, index }
  return { input, problem }
}
