import type { WorkReport } from "./run-reader.ts"

export type ReaderReport = Omit<WorkReport, "findings"> & { ms: number; findings: number }

/** A line for each reader. */
export function printReport(reports: ReadonlyMap<string, ReaderReport>, seconds: number): void {
  const rows = [...reports].map(([reader, { tried, refused, bytes, ms, slowest, steepest, findings }]) => ({
    reader,
    inputs: tried,
    refused,
    "mean bytes": Math.round(bytes / Math.max(1, tried)),
    "mean ms": Number((ms / Math.max(1, tried)).toFixed(2)),
    "slowest ms/KB": Number(slowest.msPerKilobyte.toFixed(1)),
    "(input)": slowest.index,
    "steepest growth": steepest.power === 0 ? "" : `n^${steepest.power.toFixed(2)} (${steepest.index})`,
    findings,
  }))
  console.table(rows)
  const total = rows.reduce((sum, { inputs }) => sum + inputs, 0)
  const found = rows.reduce((sum, { findings }) => sum + findings, 0)
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024)
  console.log(`${total} inputs in ${Math.round(seconds)} s, at most ${megabytes} MB in memory, ${found} findings`)
}
