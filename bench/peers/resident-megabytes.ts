import { readFileSync } from "node:fs"

/** What a process has in memory now; NaN where the system does not report it. */
export function residentMegabytes(pid: number): number {
  if (process.platform !== "linux") return Number.NaN
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return (Number(kilobytes) * 1024) / 1e6
}
