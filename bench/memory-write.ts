// What a governed write costs in a store of 10 memories and in one of 10,000, fsync included.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onFileSync } from "../src/disk/atomic-write.ts"
import { openDrey } from "../src/drey.ts"

const rounds = 30

const costs = { 10: await costAt(10), 10000: await costAt(10_000) }
console.log("| memories in the store | one write (median of 30) |")
console.log("|---|---|")
for (const [size, { milliseconds }] of Object.entries(costs)) console.log(`| ${size} | ${milliseconds.toFixed(1)} ms |`)
console.log(`\nratio: ${(costs[10_000].milliseconds / costs[10].milliseconds).toFixed(2)} (goal: at most 5)`)
console.log(`waits for the disk (fsync) in one write: ${costs[10_000].syncs} (goal: at most 3)`)

/** The median time of some writes, and how often one waits for the disk. */
async function costAt(size: number): Promise<{ milliseconds: number; syncs: number }> {
  const root = mkdtempSync(join(tmpdir(), "drey-bench-"))
  try {
    fill(root, size)
    execFileSync("sync") // else the first writes pay for these files too
    const memory = openDrey({ root }).governed
    const times: number[] = []
    let syncs = 0
    for (let round = 0; round < rounds; round++) {
      syncs = 0
      onFileSync(() => syncs++)
      const started = performance.now()
      await memory.write({ content: `Measured memory ${round}`, class: "LOCAL", author: "kane" })
      times.push(performance.now() - started)
    }
    return { milliseconds: times.sort((one, other) => one - other)[rounds / 2] ?? 0, syncs }
  } finally {
    onFileSync(undefined)
    rmSync(root, { recursive: true, force: true })
  }
}

/** A store of that size, written without governance, which is measured afterwards. */
function fill(root: string, size: number): void {
  const folder = join(root, ".squad", "memory", "local")
  mkdirSync(folder, { recursive: true })
  const createdAt = "2026-01-01T00:00:00.000Z"
  const records = Array.from({ length: size }, (_, number) => {
    const id = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`
    const name = `kane-memory-number-${number}-of-the-bench.md`
    const head = `id: ${id}\nclass: LOCAL\nloadGuidance: [ON-DEMAND]\ntitle: "Memory ${number}"\nauthor: "kane"`
    writeFileSync(join(folder, name), `---\n${head}\ncreatedAt: ${createdAt}\nmetadata: {}\n---\n\nMemory ${number}\n`)
    const path = `.squad/memory/local/${name}`
    const title = `Memory ${number}`
    const dates = { createdAt, updatedAt: createdAt }
    return { id, class: "LOCAL", loadGuidance: "ON-DEMAND", title, path, status: "active", ...dates }
  })
  writeFileSync(join(root, ".squad", "memory", "index.json"), `${JSON.stringify(records, null, 2)}\n`)
}
