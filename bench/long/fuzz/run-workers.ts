import { fork } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fillShape, shapeOf } from "./check-growth.ts"
import { makeInput } from "./make-input.ts"
import type { Reader } from "./reader.ts"
import type { Work, WorkReport } from "./run-reader.ts"
import type { WorkerMessage } from "./worker.ts"

export type Run = {
  /** The program, which works when its first argument is `--worker`. */
  script: string
  works: readonly Work[]
  workers: number
  seed: number
  readers: readonly Reader[]
  onReport(reader: string, report: WorkReport, ms: number): void
}

/** An input that takes longer hangs; a process that needs more memory dies of it. */
const longestMs = 60_000
const mostMegabytes = 1500

/** Runs all work in separate processes. One that hangs or dies on an input is replaced, the input reported, and its span continued. */
export async function runWorkers(run: Run): Promise<void> {
  const waiting = [...run.works]
  await Promise.all(Array.from({ length: run.workers }, () => keepWorking(run, waiting)))
}

async function keepWorking(run: Run, waiting: Work[]): Promise<void> {
  for (;;) {
    const ended = await runOne(run, () => waiting.shift())
    if (ended === "done") return
    const { work, index, problem } = ended
    const reader = run.readers.find(({ name }) => name === work.reader) as Reader
    const findings = [{ reader: work.reader, index, problem, input: inputOf(reader, work, run.seed, index) }]
    run.onReport(work.reader, { ...nothing, tried: index - work.from + 1, findings }, 0)
    const left = work.from + work.count - index - 1
    if (left > 0) waiting.unshift({ ...work, from: index + 1, count: left })
  }
}

const nothing: WorkReport = {
  tried: 0,
  refused: 0,
  bytes: 0,
  slowest: { msPerKilobyte: 0, index: 0 },
  steepest: { power: 0, index: 0 },
  findings: [],
}

type Ended = "done" | { work: Work; index: number; problem: string }

function runOne({ script, seed, onReport }: Run, next: () => Work | undefined): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), "drey-fuzz-"))
  const placeFile = join(folder, "place")
  const child = fork(script, ["--worker", String(seed), placeFile], {
    execArgv: [`--max-old-space-size=${mostMegabytes}`],
    serialization: "advanced",
  })
  const placeNow = () => readFileSync(placeFile).readDoubleLE()
  let work: Work | undefined
  let last = { index: -1, at: performance.now() }
  let problem = "ends the process"
  const watch = setInterval(() => {
    if (!work) return // it has not begun, or is about to end
    const index = placeNow()
    if (index !== last.index) last = { index, at: performance.now() }
    if (performance.now() - last.at < longestMs) return
    problem = "hangs"
    child.kill("SIGKILL")
  }, 1000)
  child.on("message", (message: WorkerMessage) => {
    if (message.kind === "report") onReport(message.work.reader, message.report, message.ms)
    work = next()
    last = { index: -1, at: performance.now() }
    child.send(work ?? "end")
  })
  return new Promise((resolve, reject) => {
    child.on("exit", (code, signal) => {
      clearInterval(watch)
      const index = work && placeNow()
      rmSync(folder, { recursive: true, force: true })
      if (work && index !== undefined) resolve({ work, index, problem: `${problem} (${signal ?? code})` })
      else if (code === 0) resolve("done")
      else reject(new Error(`a worker ended with ${signal ?? code}`))
    })
  })
}

function inputOf(reader: Reader, work: Work, seed: number, index: number): Buffer {
  return work.kind === "inputs"
    ? makeInput(reader, seed, index)
    : Buffer.from(fillShape(shapeOf(reader, seed, index), 64 * 1024))
}
