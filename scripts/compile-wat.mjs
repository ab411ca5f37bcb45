// Compiles the WebAssembly text in src/ to modules that can be imported: `node scripts/compile-wat.mjs`. With --check
// nothing is written, and the exit code is 1 when one of them is not up to date.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import openWabt from "wabt"

const root = fileURLToPath(new URL("..", import.meta.url))
const modules = [
  { source: "src/index/nearest.wat", name: "nearestWasm" },
  { source: "src/index/embedders/row-sum.wat", name: "rowSumWasm" },
]

const wabt = await openWabt()
for (const { source, name } of modules) {
  const module = wabt.parseWat(source, readFileSync(`${root}/${source}`, "utf8"), { simd: true })
  const code = Buffer.from(module.toBinary({}).buffer).toString("base64")
  const lines = code.match(/.{1,100}/g).map((line) => `  "${line}",`)
  const text = `/** ${source.split("/").at(-1)}, compiled by scripts/compile-wat.mjs. */\nexport const ${name} = [\n${lines.join("\n")}\n].join("")\n`
  const path = `${root}/${source.replace(/\.wat$/, "-wasm.ts")}`
  if (!process.argv.includes("--check")) writeFileSync(path, text)
  else if (readFileSync(path, "utf8") !== text) {
    console.error(`${path} is not what ${source} compiles to: run node scripts/compile-wat.mjs`)
    process.exitCode = 1
  }
}
