// What the WebAssembly modules bring beside plain typed arrays: the nearest of many vectors, and the sum of a table's
// rows. Each figure is the fastest of several processes, for a process's first call and for the median of later ones.
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { findAssets } from "../src/index/embedders/embedder.ts"
import { sumLoadedRows, sumRowsPlain } from "../src/index/embedders/static-embedder.ts"
import { openTable } from "../src/index/embedders/table-file.ts"
import { packedBits, plainBits } from "../src/index/packed-bits.ts"

const sizes = [1000, 10_000, 100_000]
const processes = 7
const rowsPerText = 60

const [kind, way, size] = process.argv.slice(2)
if (kind === undefined || way === undefined) printAll()
else console.log(JSON.stringify(kind === "nearest" ? nearest(way, Number(size)) : embed(way, Number(size))))

function printAll(): void {
  for (const [name, what] of [
    ["nearest", "The 200 nearest of many vectors, one search"],
    ["embed", "Summing the rows of many texts' vectors, all of them"],
  ] as const) {
    console.log(`## ${what}\n\n| vectors | WebAssembly, first | plain, first | WebAssembly, later | plain, later |`)
    console.log("|---|---|---|---|---|")
    for (const vectors of sizes) {
      const [fast, plain] = ["wasm", "plain"].map((each) => fastest(name, each, vectors)) as [Times, Times]
      const cells = [fast.first, plain.first, fast.later, plain.later].map((each) => `${each.toFixed(2)} ms`)
      console.log(`| ${vectors} | ${cells.join(" | ")} |`)
    }
    console.log("")
  }
}

type Times = { first: number; later: number }

function fastest(name: string, each: string, vectors: number): Times {
  const times = Array.from({ length: processes }, (): Times => {
    const args = [process.argv[1] as string, name, each, String(vectors)]
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }))
  })
  return {
    first: Math.min(...times.map(({ first }) => first)),
    later: Math.min(...times.map(({ later }) => later)),
  }
}

function nearest(which: string, count: number): Times {
  const query = Int32Array.from({ length: 8 }, (_, index) => random(index))
  const make = which === "wasm" ? packedBits : plainBits
  return timed(() => {
    const started = performance.now()
    const packed = make(count) // compiling the module is part of the first call
    const made = performance.now() - started
    packed.owners.forEach((_, place) => {
      packed.owners[place] = place + 1
    })
    packed.bits.forEach((_, place) => {
      packed.bits[place] = random(place)
    })
    return { made, call: () => packed.nearest(query, 200) }
  }, 15)
}

function embed(which: string, count: number): Times {
  const opened = openTable(join(findAssets() ?? "", "static-minilm-pca256-v1.bin"))
  if (opened.kind !== "opened") throw new Error(opened.reason)
  const { table } = opened
  const rows = Int32Array.from({ length: rowsPerText }, (_, index) => Math.abs(random(index)) % table.rowCount)
  const sum = new Float32Array(table.dimensions)
  return timed(
    () => {
      const started = performance.now()
      const sumRows = which === "wasm" ? sumLoadedRows(table) : sumRowsPlain(table)
      const made = performance.now() - started
      const call = () => {
        for (let text = 0; text < count; text++) sumRows(rows, rowsPerText, sum)
      }
      return { made, call }
    },
    count > 10_000 ? 1 : 5,
  )
}

function timed(open: () => { made: number; call: () => unknown }, rounds: number): Times {
  const { made, call } = open()
  const times = Array.from({ length: rounds + 1 }, () => {
    const started = performance.now()
    call()
    return performance.now() - started
  })
  const [first = 0, ...later] = times
  later.sort((one, other) => one - other)
  return { first: made + first, later: later[Math.floor(later.length / 2)] ?? 0 }
}

/** A number from a number, the same in every process. */
function random(seed: number): number {
  let mixed = Math.imul(seed + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
  return mixed ^ (mixed >>> 13)
}
