import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { openDatabase } from "../../src/disk/sqlite.ts"
import { openStaticEmbedder } from "../../src/index/embedders/static-embedder.ts"
import type { OriginItems } from "../../src/index/index-store.ts"
import { sqliteIndex } from "../../src/index/sqlite-index.ts"
import { readChanges } from "../../src/recall/sync/origin-changes.ts"
import { listOrigins } from "../../src/recall/sync/origins.ts"
import { findStore } from "../../src/team/team-folder.ts"
import { printColumns } from "../recall/print-table.ts"
import { writeRepository } from "./made-repository.ts"
import { type Cost, median, timed } from "./timing.ts"

export type BuildOptions = { folder: string; entries: number; rounds: number }

/** Builds an index of the same text: a bare script, Drey from ready items, and Drey from the files on. */
export async function printIndexBuild({ folder, entries, rounds }: BuildOptions): Promise<void> {
  const root = join(folder, "build")
  mkdirSync(root)
  writeRepository(root, entries)
  const store = findStore(root, `${root}/home`)
  const table = openStaticEmbedder({ whole: true })
  const embedder = table.kind === "ready" ? table.embedder : undefined
  const now = () => new Date()
  const readFiles = async () => (await readChanges(store, listOrigins(store), undefined, new Map(), now)).changed
  const rebuild = async (origins: OriginItems[], path: string) => {
    const index = await sqliteIndex(path, {
      embedder: embedder && { id: embedder.id, embed: (texts) => texts.map((text) => embedder.embedNow(text)) },
    })
    await index.rebuild(origins)
    await index.close()
  }
  const ready = await readFiles()
  const texts = ready.flatMap(({ items }) => items.map(({ title, text }) => ({ title, text })))
  const arms: Record<string, (path: string) => unknown> = {
    "bare script": (path) => insertPlainly(texts, path),
    "Drey, from ready items": (path) => rebuild(ready, path),
    "Drey, from files": async (path) => rebuild(await readFiles(), path),
  }
  const costs = new Map(Object.keys(arms).map((name) => [name, [] as Cost[]]))
  for (let round = 0; round < rounds; round++) {
    for (const [number, [name, act]] of Object.entries(arms).entries())
      costs.get(name)?.push(await timed(() => act(join(folder, `build-${round}-${number}.db`))))
  }
  const middle = (name: string, of: keyof Cost) => median(costs.get(name)?.map((cost) => cost[of]) ?? [])
  console.log(
    `\n### Building the index of ${texts.length} items, static vectors included: median of ${rounds} in turns\n`,
  )
  printColumns([
    ["arm", "seconds", "of the processor", "ratio", "ratio of the processor's"],
    ...Object.keys(arms).map((name) => [
      name,
      ...(["wall", "cpu"] as const).map((of) => (middle(name, of) / 1000).toFixed(2)),
      ...(["wall", "cpu"] as const).map((of) => (middle(name, of) / middle("bare script", of)).toFixed(2)),
    ]),
  ])
  console.log(
    "\n- The bare script inserts title and text one by one into an FTS5 table (porter), in one transaction, synchronous = FULL. Goal: from ready items at most 3 ×.",
  )
}

function insertPlainly(texts: { title: string; text: string }[], path: string): void {
  const database = openDatabase(path)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  database.exec("CREATE VIRTUAL TABLE documents USING fts5 (title, text, tokenize = 'porter unicode61')")
  const insert = database.prepare("INSERT INTO documents (title, text) VALUES (?, ?)")
  database.transaction("immediate", () => {
    for (const { title, text } of texts) insert.run(title, text)
  })
  database.close()
}
