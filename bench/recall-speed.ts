import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { printColdStart } from "./recall-speed/cold-start.ts"
import { printIndexBuild } from "./recall-speed/index-build.ts"
import { printLatency } from "./recall-speed/latency.ts"
import { printProcesses } from "./recall-speed/processes.ts"

/**
 * How fast recall is, always beside something plain in the same run:
 * `node scripts/run-ts.mjs bench/recall-speed.ts [--only latency,cold,build,processes] [--quick]`.
 */

export type SpeedOptions = {
  /** Of latency, cold, build and processes; all when not given. */
  only?: string[] | undefined
  /** A look at everything in a minute or two, too short for figures to rely on. */
  quick?: boolean | undefined
}

export async function printSpeed({ only, quick = false }: SpeedOptions = {}): Promise<void> {
  const parts: Record<string, (folder: string) => Promise<void>> = {
    latency: (folder) =>
      printLatency({
        folder,
        sizes: quick ? [1000, 3000] : [1000, 10_000, 100_000],
        questions: quick ? 30 : 100,
        rounds: 3,
      }),
    cold: (folder) =>
      printColdStart({ folder, entries: quick ? 1000 : 10_000, runs: quick ? 5 : 21, nodes: [20, 22, 24] }),
    build: (folder) => printIndexBuild({ folder, entries: quick ? 1000 : 10_000, rounds: 3 }),
    processes: (folder) =>
      printProcesses({ folder, project: resolve("."), entries: 500, readers: 12, writers: 4, writes: quick ? 5 : 50 }),
  }
  for (const [name, print] of Object.entries(parts)) {
    if (only && !only.includes(name)) continue
    const folder = mkdtempSync(join(tmpdir(), "drey-speed-"))
    mkdirSync(join(folder, "home"))
    try {
      await print(folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

if (process.argv[1]?.includes("recall-speed")) {
  const { values } = parseArgs({ options: { only: { type: "string" }, quick: { type: "boolean", default: false } } })
  await printSpeed({ only: values.only?.split(","), quick: values.quick })
}
