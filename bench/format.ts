import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import remarkParse from "remark-parse"
import { unified } from "unified"
import { readTextFile } from "../src/disk/text-files.ts"
import { DreyError } from "../src/errors.ts"
import { type ReadContext, readEntries } from "../src/formats/entries.ts"
import { type ConversionRecord, convertFile } from "../src/team/conversion/file-conversion.ts"
import { type EntryFile, listEntryFiles, readRoster } from "../src/team/team-files.ts"
import { findStore } from "../src/team/team-folder.ts"
import { missingSourceLines } from "./missing-source-lines.ts"

/** Measures reading and conversion over real repositories: `npm run bench:format -- <folder of repositories>`. */

const corpora = process.argv[2]
if (corpora === undefined || !existsSync(corpora)) {
  console.error("Name a folder of repositories: npm run bench:format -- <folder>")
  process.exit(2)
}

type Totals = {
  files: number
  entries: number
  covered: number
  auto: number
  review: number
  left: Map<string, number>
  reasons: Map<string, number>
  missing: string[]
  unstable: string[]
  changedIds: number
}

const kinds = ["decisions", "decision archives", "inbox", "histories", "history archives"] as const
type Kind = (typeof kinds)[number]
const totals = new Map<Kind, Totals>(kinds.map((kind) => [kind, emptyTotals()]))
const refused: string[] = []
const texts: { path: string; text: string; context: ReadContext }[] = []

for (const repository of readdirSync(corpora).sort()) measureRepository(join(corpora, repository), repository)
printConversion()
printSpeed()
printGrowth()
printColdStart()

function measureRepository(root: string, name: string): void {
  const store = findStore(root, `${root}/home`)
  const roster = readRoster(store)
  for (const file of store.folders.flatMap(listEntryFiles).filter(({ source }) => source !== "skills")) {
    const path = `${name}/${file.path}`
    try {
      const { text } = readTextFile(file.absolute, { name: path })
      const context = { kind: file.kind, fileName: basename(file.path), agent: file.agent, roster }
      texts.push({ path, text, context })
      measureFile(path, text, context, totals.get(kindOf(file)) as Totals)
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      refused.push(error.message)
    }
  }
}

function measureFile(path: string, text: string, context: ReadContext, total: Totals): void {
  const read = readEntries(text, context)
  const { text: converted, records } = convertFile(path, text, read, context, {})
  const again = readEntries(converted, context)
  const second = convertFile(path, converted, again, context, {})
  total.files++
  for (const record of records) countRecord(total, record)
  total.missing.push(...missingSourceLines(text, converted).map(({ line, text: lost }) => `${path}:${line} ${lost}`))
  if (second.text !== converted) total.unstable.push(path)
  const before = read.entries.map(({ id }) => id)
  const after = again.entries.map(({ id }) => id)
  total.changedIds += before.filter((id, index) => id !== after[index]).length + Math.abs(before.length - after.length)
}

function countRecord(total: Totals, { level, reasons, dateSource, authorSource }: ConversionRecord): void {
  if (level === "left") {
    const reason = (reasons[0] ?? "").replace(/line \d+/, "a line")
    total.left.set(reason, (total.left.get(reason) ?? 0) + 1)
    return
  }
  total.entries++
  total[level]++
  if (dateSource !== "none" && authorSource !== "none") total.covered++
  for (const reason of reasons) total.reasons.set(reason, (total.reasons.get(reason) ?? 0) + 1)
}

function printConversion(): void {
  const goals: Partial<Record<Kind, number>> = { decisions: 91, "decision archives": 93, inbox: 97 }
  console.log("Conversion (entries: headed entries and dated bullets; automatic = automatic ÷ (automatic + review))\n")
  console.log(
    "| files of | files | entries | date and author found | automatic | goal | review | lines missing | changed by a second run | ids changed |",
  )
  console.log("|---|---|---|---|---|---|---|---|---|---|")
  for (const [kind, total] of totals) {
    const goal = goals[kind] === undefined ? "–" : `${goals[kind]} %`
    console.log(
      `| ${kind} | ${total.files} | ${total.entries} | ${percent(total.covered, total.entries)} | ${percent(total.auto, total.entries)} | ${goal} | ${percent(total.review, total.entries)} | ${total.missing.length} | ${total.unstable.length} | ${total.changedIds} |`,
    )
  }
  for (const [kind, total] of totals) {
    console.log(`\n${kind}: needs review: ${list(total.reasons)}`)
    console.log(`${kind}: left as they are: ${list(total.left)}`)
    for (const line of total.missing.slice(0, 5)) console.log(`  missing: ${line.slice(0, 160)}`)
    for (const path of total.unstable.slice(0, 5)) console.log(`  changed by a second run: ${path}`)
  }
  console.log(`\nRefused files (${refused.length}): ${refused.map((message) => `\n  ${message}`).join("")}`)
}

/** The same files through remark-parse in the same run; a sample, because remark needs minutes for all of them. */
function printSpeed(): void {
  const sample = [...texts]
    .sort((one, other) => other.text.length - one.text.length)
    .filter((_, index) => index % 25 === 0)
  const bytes = sample.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  for (const { text, context } of sample) readEntries(text, context)
  const ours = bestOf(5, () => {
    for (const { text, context } of sample) readEntries(text, context)
  })
  const parser = unified().use(remarkParse)
  const remark = bestOf(1, () => {
    for (const { text } of sample) parser.parse(text)
  })
  console.log(
    `\nReader against remark-parse on ${sample.length} files, ${(bytes / 1e6).toFixed(1)} MB: ${ours.toFixed(0)} ms against ${remark.toFixed(0)} ms: ${(remark / ours).toFixed(0)}× faster (goal: 10×).`,
  )
}

function printGrowth(): void {
  const largest = texts.reduce((one, other) => (other.text.length > one.text.length ? other : one))
  const megabytes = (count: number) => {
    const text = largest.text.repeat(Math.ceil((count * 1e6) / largest.text.length)).slice(0, count * 1e6)
    return bestOf(2, () => readEntries(text, largest.context))
  }
  const [one, five, fifty] = [megabytes(1), megabytes(5), megabytes(50)]
  console.log(
    `Growth: 1 MB ${one.toFixed(0)} ms, 5 MB ${five.toFixed(0)} ms, 50 MB ${fifty.toFixed(0)} ms; 50 MB takes ${(fifty / five).toFixed(1)}× as long as 5 MB (goal: at most 12×).`,
  )
  const fences = (count: number) => bestOf(2, () => readEntries("```js\ntext\n".repeat(count), largest.context))
  const line = (count: number) =>
    bestOf(2, () => readEntries(`### 2026-02-15: ${"word ".repeat(count)}`, largest.context))
  console.log(
    `10,000 unclosed fences ${fences(10_000).toFixed(0)} ms, 100,000 ${fences(100_000).toFixed(0)} ms; a single line of 0.5 MB ${line(100_000).toFixed(0)} ms, of 5 MB ${line(1_000_000).toFixed(0)} ms.`,
  )
}

/** `drey memory` on a store with the largest decisions.md, against an empty node, in turn. */
function printColdStart(): void {
  const largest = texts
    .filter(({ path }) => path.endsWith("/decisions.md"))
    .reduce((one, other) => (other.text.length > one.text.length ? other : one))
  const folder = mkdtempSync(join(tmpdir(), "drey-bench-"))
  try {
    mkdirSync(join(folder, ".squad"))
    writeFileSync(join(folder, ".squad", "decisions.md"), largest.text)
    const cli = join(process.cwd(), "dist", "cli.cjs")
    const empty: number[] = []
    const memory: number[] = []
    for (let turn = 0; turn < 15; turn++) {
      empty.push(timeOf(() => execFileSync(process.execPath, ["-e", "0"], { stdio: "ignore" })))
      memory.push(
        timeOf(() =>
          execFileSync(process.execPath, [cli, "memory", "--type", "decision"], { cwd: folder, stdio: "ignore" }),
        ),
      )
    }
    const ratio = median(memory) / median(empty)
    console.log(
      `drey memory --type decision on ${largest.path} (${(largest.text.length / 1e3).toFixed(0)} KB): median ${median(memory).toFixed(0)} ms, empty node ${median(empty).toFixed(0)} ms: ${ratio.toFixed(2)}× (goal: at most 2.5×; node ${process.version}, n = 15).`,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function kindOf(file: EntryFile): Kind {
  if (file.kind === "history") return file.source === "history" ? "histories" : "history archives"
  if (file.kind === "archive") return "decision archives"
  return file.kind === "inbox" ? "inbox" : "decisions"
}

function emptyTotals(): Totals {
  return {
    files: 0,
    entries: 0,
    covered: 0,
    auto: 0,
    review: 0,
    left: new Map(),
    reasons: new Map(),
    missing: [],
    unstable: [],
    changedIds: 0,
  }
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`
}

function list(counts: Map<string, number>): string {
  const sorted = [...counts].sort((one, other) => other[1] - one[1])
  return sorted.length === 0 ? "none" : sorted.map(([name, count]) => `${name} ${count}`).join(" · ")
}

function bestOf(times: number, run: () => void): number {
  return Math.min(...Array.from({ length: times }, () => timeOf(run)))
}

function timeOf(run: () => void): number {
  const start = performance.now()
  run()
  return performance.now() - start
}

function median(values: number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
