import { existsSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { printAbstention } from "./recall/abstention.ts"
import type { Arm } from "./recall/arm.ts"
import { printContexts } from "./recall/contexts.ts"
import { dreyArms } from "./recall/drey-arms.ts"
import { evidenceShown } from "./recall/evidence-shown.ts"
import { printLeaks } from "./recall/leaks.ts"
import { dataSetNames, loadDataSet, outsideNames } from "./recall/load-data-sets.ts"
import { peerArms } from "./recall/peers/peer-arms.ts"
import { printTable } from "./recall/print-table.ts"
import { type Run, runArm } from "./recall/run-arm.ts"
import { askedOf, sampleOf } from "./recall/select-queries.ts"
import { simpleArms } from "./recall/simple-arms.ts"
import { tables } from "./recall/tables.ts"
import { printTokenBound } from "./recall/token-bound.ts"
import { openVectors } from "./recall/vectors.ts"
import { printSpeed } from "./recall-speed.ts"

/**
 * Finds what should be found, by Drey, simple engines and peers side by side:
 * `npm run bench:recall -- [folder of data sets] [--sets squad,adr,leaks] [--tables "by hand,LoCoMo"] [--arms "FTS5 BM25,MiniLM"] [--no-peers] [--json FILE]`.
 * Without a folder it measures on what is made here.
 */

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string" },
    arms: { type: "string" },
    tables: { type: "string" },
    "no-peers": { type: "boolean", default: false },
    json: { type: "string" },
  },
})
const [folder] = positionals
if (folder !== undefined && !existsSync(folder)) {
  console.error(`There is no folder ${folder}. Name the one with the data sets: npm run bench:recall -- <folder>`)
  process.exit(2)
}

const cache = resolve(".cache")
const vectors = openVectors(process.env.DREY_BENCH_VECTORS ?? join(cache, "bench-vectors"))
const peers = options["no-peers"] ? [] : await peerArms(join(cache, "peers"), vectors)
const arms = chosen([...dreyArms(vectors), ...simpleArms(vectors), ...peers], options.arms)
const receipts: object[] = []
/** Contexts take longer than searches: of each table and half, so many queries will do. */
const mostContexts = 80
const onFolder: Record<string, (folder: string) => Promise<void>> = {
  contexts: (folder) => printContexts(folder, vectors),
  abstention: (folder) => printAbstention(arms, folder),
  leaks: (folder) => printLeaks(arms, folder),
  tokens: printTokenBound,
}
const parts = options.sets?.split(",") ?? [...dataSetNames, ...Object.keys(onFolder), "speed"]
const leftOut = folder === undefined ? parts.filter((name) => name in onFolder || outsideNames.includes(name)) : []
if (leftOut.length > 0)
  console.log(`Left out: ${leftOut.join(", ")}. Name a folder of data sets for them: npm run bench:recall -- <folder>`)
if (leftOut.length === parts.length) process.exit(2) // nothing that was asked for can be measured

for (const name of parts.filter((name) => !leftOut.includes(name))) {
  if (name === "speed") await printSpeed()
  else if (folder !== undefined && onFolder[name]) await onFolder[name](folder)
  else await printDataSet(name)
}
if (options.json !== undefined)
  writeFileSync(options.json, receipts.map((line) => `${JSON.stringify(line)}\n`).join(""))

async function printDataSet(name: string): Promise<void> {
  const set = loadDataSet(folder, name)
  const own = tables.filter((table) => table.set === name && isWanted(table))
  const runs: Run[] = []
  const withContext = new Set(sampleOf(mostContexts, own, set))
  for (const arm of arms) {
    showStatus(`${name}: ${arm.name}`)
    const run = await runArm(arm, set.stores, askedOf(arm, own, set), withContext)
    for (const answer of run.answers) {
      const documents = set.stores.find((store) => store.name === answer.query.store)?.documents ?? []
      if (answer.context !== undefined)
        answer.shown = await evidenceShown(answer.context, answer.query, documents, vectors)
    }
    runs.push(run)
  }
  showStatus("")
  for (const table of own) printTable(table, set, runs)
  receipts.push(...runs.flatMap((run) => toReceipts(name, run)))
}

/** Whether a table's title holds one of the words that `--tables` names. */
function isWanted({ title }: { title: string }): boolean {
  return options.tables === undefined || options.tables.split(",").some((part) => title.includes(part))
}

function showStatus(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

function chosen(all: Arm[], names: string | undefined): Arm[] {
  return names === undefined ? all : all.filter((arm) => names.split(",").includes(arm.name))
}

function toReceipts(set: string, { arm, answers }: Run): object[] {
  return answers.map(({ query, hits }) => ({ set, arm: arm.name, ...query, hits: hits.slice(0, 10) }))
}
