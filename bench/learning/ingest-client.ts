import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Transcript } from "../../src/clients/client.ts"
import { openStaticEmbedder } from "../../src/embedders/static-embedder.ts"
import type { EpisodeEvent } from "../../src/episodes/episode.ts"
import type { Ingestion } from "../../src/learning/ingest.ts"
import { openLearning } from "../../src/learning/open-learning.ts"
import type { Memory } from "../../src/store/memory.ts"
import { injectedTexts } from "./injected-texts.ts"
import { findJunk, type Junk } from "./junk.ts"

export type ClientFigures = {
  client: string
  files: number
  megabytes: number
  human: number
  calls: number
  errors: number
  tests: { passed: number; failed: number }
  ingestion: Ingestion
  memories: Memory[]
  writer: string
  junk: Junk
  /** CPU seconds of reading into episodes and learning, and of JSON.parse over the same lines. */
  seconds: { ingest: number; parse: number }
}

/** Ingests one client's transcripts into a store of their own and counts what came of it. */
export async function ingestClient(client: string, transcripts: readonly Transcript[]): Promise<ClientFigures> {
  const folder = mkdtempSync(join(tmpdir(), "drey-learning-"))
  const root = join(folder, "repository")
  mkdirSync(join(root, ".squad"), { recursive: true })
  const environment = { DREY_HOME: join(folder, "home") }
  const learning = openLearning({
    home: join(folder, "home"),
    root,
    owner: "bench",
    writer: { kind: "rules" },
    machine: { home: join(folder, "nobody"), environment, platform: process.platform },
    now: () => new Date("2026-11-15T00:00:00Z"),
    warn: () => {},
  })
  const figures = { human: 0, calls: 0, errors: 0, tests: { passed: 0, failed: 0 } }
  const observe = (_client: string, event: EpisodeEvent) => {
    if (event.role === "user" && event.kind === "message") figures.human++
    if (event.kind === "tool_call") figures.calls++
    if (event.is_error) figures.errors++
    if (event.test !== undefined) figures.tests[event.test]++
  }
  const paths = [...new Set(transcripts.map(({ path }) => path))]
  const parse = cpuSeconds(() => paths.forEach(parseLines))
  const before = process.cpuUsage()
  const ingestion = await learning.ingest({ files: paths, observe })
  const used = process.cpuUsage(before)
  const memories = await learning.memories()
  const status = await learning.status()
  await learning.close()
  rmSync(folder, { recursive: true, force: true })
  return {
    client,
    files: transcripts.length,
    megabytes: paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1e6,
    ...figures,
    ingestion,
    memories,
    writer: status.writer,
    junk: findJunk(memories, injectedTexts(paths), likenessOf()),
    seconds: { ingest: (used.user + used.system) / 1e6, parse },
  }
}

function parseLines(path: string): void {
  for (const line of readFileSync(path, "utf8").split("\n")) {
    try {
      if (line !== "") JSON.parse(line)
    } catch {
      // a document over several lines, or a torn one: what parsing costs is measured, not what it says
    }
  }
}

function cpuSeconds(act: () => void): number {
  const before = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

function likenessOf(): (one: string, other: string) => number {
  const table = openStaticEmbedder()
  if (table.kind === "unavailable") return () => 0
  const vectors = new Map<string, Float32Array>()
  const vectorOf = (text: string) => {
    const known = vectors.get(text) ?? table.embedder.embedNow(text)
    vectors.set(text, known)
    return known
  }
  return (one, other) => {
    const [a, b] = [vectorOf(one), vectorOf(other)]
    return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
  }
}
