import { statSync } from "node:fs"
import { join } from "node:path"
import { openDatabase } from "../../src/disk/sqlite.ts"
import { parseQuery } from "../../src/formats/query.ts"
import { openStaticEmbedder } from "../../src/index/embedders/static-embedder.ts"
import { type SqliteIndex, sqliteIndex } from "../../src/index/sqlite-index.ts"
import { buildContext } from "../../src/recall/context/context-builder.ts"
import type { RecallParts } from "../../src/recall/recall-parts.ts"
import { search } from "../../src/recall/search/item-search.ts"
import { findRanked } from "../../src/recall/search/ranking.ts"
import { boundTokens } from "../../src/recall/token-count.ts"
import { printColumns } from "../recall/print-table.ts"
import { entryMaker } from "./made-entries.ts"
import { toOrigins } from "./made-items.ts"
import { openPlainFts5 } from "./plain-fts5.ts"
import { type Cost, interleave, percentile } from "./timing.ts"

export type LatencyOptions = { folder: string; sizes: number[]; questions: number; rounds: number }

const plain = "plain FTS5"
const ranked = "Drey find + rank"
const whole = "Drey search, snippets too"
const context = "Drey context"
const vectors = "Drey's vector stage"

/** Questions and tasks to a growing index, Drey and plain FTS5 in one process over the same text. */
export async function printLatency({ folder, sizes, questions, rounds }: LatencyOptions): Promise<void> {
  const opened = openStaticEmbedder()
  if (opened.kind === "unavailable") console.log(`\nWithout vectors: ${opened.reason}.`)
  const embedNow = opened.kind === "ready" ? opened.embedder.embedNow : undefined
  const id = opened.kind === "ready" ? opened.embedder.id : ""
  const index = await sqliteIndex(join(folder, "latency.db"), {
    embedder: embedNow && { id, embed: (texts) => texts.map(embedNow) },
  })
  const bare = openPlainFts5(join(folder, "plain.db"))
  const now = () => new Date("2026-06-01T00:00:00Z")
  const parts: RecallParts = { index, embedNow, embedDeep: undefined, countTokens: boundTokens, now }
  const maker = entryMaker(1)
  const figures: Figure[] = []
  let size = 0
  for (const next of sizes) {
    for (; size < next; size += Math.min(next - size, 10_000)) {
      const entries = Array.from({ length: Math.min(next - size, 10_000) }, () => maker.entry())
      await index.update(toOrigins(entries, size / 100))
      bare.add(entries)
    }
    const asker = entryMaker(1000 + next)
    for (const [kind, make] of Object.entries({ question: asker.question, task: asker.task })) {
      const texts = Array.from({ length: questions }, make)
      const costs = await interleave(texts, armsOf(parts, bare.find), rounds)
      for (const [arm, list] of costs) figures.push({ size: next, kind, arm, costs: list })
    }
    printDisk(next, folder)
  }
  printFigures(figures)
  await printResident(index, parts, entryMaker(5).question)
  bare.close()
  await index.close()
}

function armsOf(parts: RecallParts, findPlain: (text: string) => unknown): Record<string, (text: string) => unknown> {
  const { index, embedNow } = parts
  const everything = { agent: "*" }
  const byVector = (text: string) => {
    const request = { text: "", filter: everything, limit: 200, now: parts.now().getTime() }
    return embedNow && index.find({ ...request, vectors: [{ model: "static", vector: embedNow(text) }] })
  }
  return {
    [plain]: findPlain,
    [ranked]: (text) => findRanked(parts, text, everything),
    [whole]: (text) => search(parts, { query: wordsAlone(text), limit: 10 }),
    [context]: (text) => buildContext(parts, { task: text }),
    ...(embedNow ? { [vectors]: byVector } : {}),
  }
}

function wordsAlone(text: string) {
  const parsed = parseQuery(text.replace(/[^\p{L}\p{N}_/. -]/gu, " "))
  return parsed.kind === "query" ? parsed.query : { filters: [], terms: [{ text, negated: false }] }
}

type Figure = { size: number; kind: string; arm: string; costs: Cost[] }

function printFigures(figures: Figure[]): void {
  const p = (figure: Figure | undefined, of: keyof Cost, share: number) =>
    percentile(figure?.costs.map((cost) => cost[of]) ?? [], share)
  const of = (arm: string, kind: string, size: number) =>
    figures.find((one) => one.arm === arm && one.kind === kind && one.size === size)
  const ms = (value: number) => value.toFixed(value < 10 ? 2 : 1)
  console.log(
    "\n### Latency in one process: milliseconds by the clock (of the processor), ratios to plain FTS5 with all the words\n",
  )
  printColumns([
    ["items", "asked", "arm", "p50", "p95", "p50 ratio", "p95 ratio"],
    ...figures.map((figure) => {
      const against = of(plain, figure.kind, figure.size)
      const both = (share: number) => `${ms(p(figure, "wall", share))} (${ms(p(figure, "cpu", share))})`
      const ratio = (share: number) =>
        (["wall", "cpu"] as const).map((kind) => (p(figure, kind, share) / p(against, kind, share)).toFixed(2))
      const ratios = [0.5, 0.95].map((share) => ratio(share).join(" (")).map((text) => `${text})`)
      return [
        String(figure.size),
        figure.kind,
        figure.arm,
        both(0.5),
        both(0.95),
        ...(figure === against ? ["1", "1"] : ratios),
      ]
    }),
  ])
  const sizes = [...new Set(figures.map(({ size }) => size))].slice(-2)
  const [small = 0, large = 0] = sizes
  console.log()
  for (const kind of ["question", "task"]) {
    const growth = (arm: string) =>
      (p(of(arm, kind, large), "cpu", 0.95) / p(of(arm, kind, small), "cpu", 0.95)).toFixed(1)
    console.log(
      `- Growth of the p95 of a ${kind} from ${small} to ${large} items: plain FTS5 × ${growth(plain)}, ${ranked} × ${growth(ranked)}.`,
    )
  }
  console.log(
    "- Goals for questions, p95: a search of ten at most 3 ×, 1.5 × and 1.2 × plain FTS5 at 1,000, 10,000 and 100,000 items; a context at most 2 × the search; the vector stage at most 10 ms of the processor at 100,000.",
  )
}

function printDisk(items: number, folder: string): void {
  const perItem = (name: string) => {
    const path = join(folder, name)
    const database = openDatabase(path)
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)") // else part of it would be counted twice
    database.close()
    return `${Math.round(statSync(path).size / items).toLocaleString("en")} bytes`
  }
  console.log(`- Disk for each of ${items} items: Drey ${perItem("latency.db")}, plain FTS5 ${perItem("plain.db")}.`)
}

async function printResident(index: SqliteIndex, parts: RecallParts, question: () => string): Promise<void> {
  for (let number = 0; number < 1000; number++) await search(parts, { query: wordsAlone(question()) })
  const { items } = await index.stats()
  console.log(
    `- Memory of this process after 1,000 more searches of ${items} items: ${Math.round(process.memoryUsage.rss() / 1e6)} MB (the bench itself included).`,
  )
}
