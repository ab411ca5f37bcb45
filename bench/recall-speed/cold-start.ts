import { spawn } from "node:child_process"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { tokenize } from "../../src/index/tokenizer.ts"
import { printColumns } from "../recall/print-table.ts"
import { writeRepository } from "./made-repository.ts"
import { findNode } from "./other-nodes.ts"
import { median } from "./timing.ts"

export type ColdOptions = { folder: string; entries: number; runs: number; nodes: number[] }

const task = "Why is the queue of the proxy so slow when we retry the payload of a request?"

/** Opens the same file with the same driver and asks it once: the least that any program on Node must do. */
export const bareScript = (sqlitePackage: string) => `
import { createRequire, isBuiltin } from "node:module"
const require = createRequire(import.meta.url)
process.removeAllListeners("warning")
const { DatabaseSync } = isBuiltin("node:sqlite") ? require("node:sqlite") : require(${JSON.stringify(sqlitePackage)})
const [path, question] = process.argv.slice(2)
const find = new DatabaseSync(path).prepare("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10")
console.log(JSON.stringify(find.all(question)))
`

/** A process from its start to its exit with the answer: `drey context` and `drey search` against a bare script. */
export async function printColdStart({ folder, entries, runs, nodes }: ColdOptions): Promise<void> {
  const root = join(folder, "repository")
  const home = join(folder, "home")
  const script = join(folder, "bare.mjs")
  mkdirSync(root)
  writeRepository(root, entries)
  writeFileSync(script, bareScript(createRequire(import.meta.url).resolve("@photostructure/sqlite")))
  const cli = resolve("dist", "cli.cjs")
  const run = (node: string, ...args: string[]) => runProcess(node, args, root, home)
  await pause(2100) // the file system's clock may be as coarse as that
  await run(process.execPath, cli, "reindex")

  const index = join(home, "index", readdirSync(join(home, "index")).find((name) => name.endsWith(".db")) ?? "")
  const words = [...new Set(tokenize(task))].map((word) => `"${word}"`).join(" OR ")
  const rows: string[][] = []
  for (const major of nodes) {
    const found = findNode(major, resolve(".cache"))
    if ("reason" in found) {
      console.log(`\nNode ${major} is not tried: ${found.reason}.`)
      continue
    }
    const times = await alternate(runs, {
      bare: () => run(found.path, script, index, words),
      "drey context": () => run(found.path, cli, "context", "--agent", "kane", "--task", task),
      "drey search": () => run(found.path, cli, "search", task),
    })
    const bare = times.get("bare") ?? []
    for (const [arm, list] of times) {
      const ratio = (of: (values: number[]) => number) => (of(list) / of(bare)).toFixed(2)
      const least = (values: number[]) => Math.min(...values)
      const figures = [least(list), median(list)].map((value) => value.toFixed(0))
      rows.push([String(major), arm, ...figures, ...(arm === "bare" ? ["1", "1"] : [ratio(least), ratio(median)])])
    }
  }
  console.log(
    `\n### Cold start, ${entries} entries: milliseconds from the start of the process to its end, ${runs} runs in turns\n`,
  )
  printColumns([["Node", "arm", "least", "median", "least ratio", "median ratio"], ...rows])
  console.log(
    "\n- Goal: drey context at most 1.5 × the bare script, which opens the same index and runs one FTS5 query.",
  )
}

async function alternate(runs: number, arms: Record<string, () => Promise<number>>): Promise<Map<string, number[]>> {
  const times = new Map(Object.keys(arms).map((name) => [name, [] as number[]]))
  for (const act of Object.values(arms)) await act() // fills the caches that later runs have
  for (let round = 0; round < runs; round++) {
    for (const [name, act] of Object.entries(arms)) times.get(name)?.push(await act())
  }
  return times
}

async function runProcess(node: string, args: string[], cwd: string, home: string): Promise<number> {
  const started = performance.now()
  const env = { PATH: process.env.PATH ?? "", HOME: home, DREY_HOME: home }
  const child = spawn(node, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  let errors = ""
  child.stdout.resume()
  child.stderr.on("data", (text) => {
    errors += text
  })
  const code = await new Promise<number | null>((settle, reject) => child.on("error", reject).on("close", settle))
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${errors}`)
  return performance.now() - started
}
