// npm run fuzz -w bench [-- --inputs N --seed S --only reader,reader --workers N]: a million inputs for everything that reads what others wrote.

import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { allReaders } from "./all-readers.ts"
import { keepCase } from "./kept-cases.ts"
import { planWork } from "./plan-work.ts"
import { printReport, type ReaderReport } from "./print-report.ts"
import { type Finding, kindOf } from "./run-reader.ts"
import { runWorkers } from "./run-workers.ts"
import { work } from "./worker.ts"

const [first, seed = "", placeFile = ""] = process.argv.slice(2)
if (first === "--worker") await work(Number(seed), placeFile)
else process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      inputs: { type: "string", default: "1000000" },
      seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
      only: { type: "string" },
      workers: { type: "string", default: "2" },
    },
  })
  const seed = Number(values.seed)
  const only = values.only?.split(",")
  const readers = allReaders.filter(({ name }) => !only || only.includes(name))
  console.log(
    `${values.inputs} inputs for ${readers.length} readers, seed ${seed} (--seed ${seed} gives the same again)`,
  )
  const reports = new Map<string, ReaderReport>()
  const kept = new Map<string, number>()
  const note = (finding: Finding) => {
    const kind = `${finding.reader} ${kindOf(finding.problem)}`
    const times = (kept.get(kind) ?? 0) + 1
    kept.set(kind, times)
    if (times > 2) return
    const path = keepCase(process.cwd(), finding.reader, finding.input)
    console.log(`\n${finding.reader} ${finding.index}: ${finding.problem}\n  kept as ${path}`)
  }
  const began = performance.now()
  await runWorkers({
    script: fileURLToPath(import.meta.url),
    works: planWork(readers, Number(values.inputs)),
    workers: Number(values.workers),
    seed,
    readers,
    onReport(reader, report, ms) {
      reports.set(reader, addTo(reports.get(reader), report, ms))
      for (const finding of report.findings) note(finding)
    },
  })
  printReport(reports, (performance.now() - began) / 1000)
  return kept.size === 0 ? 0 : 1
}

function addTo(
  before: ReaderReport | undefined,
  { findings, ...more }: Omit<ReaderReport, "findings" | "ms"> & { findings: Finding[] },
  ms: number,
): ReaderReport {
  if (!before) return { ...more, ms, findings: findings.length }
  return {
    tried: before.tried + more.tried,
    refused: before.refused + more.refused,
    bytes: before.bytes + more.bytes,
    ms: before.ms + ms,
    findings: before.findings + findings.length,
    slowest: more.slowest.msPerKilobyte > before.slowest.msPerKilobyte ? more.slowest : before.slowest,
    steepest: more.steepest.power > before.steepest.power ? more.steepest : before.steepest,
  }
}
