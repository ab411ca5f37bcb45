import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Transcript } from "../../src/clients/client.ts"
import { cosineSimilarity } from "../../src/index/embedders/embedder.ts"
import { openStaticEmbedder } from "../../src/index/embedders/static-embedder.ts"
import type { Ingestion } from "../../src/learning/ingest.ts"
import { openLearning } from "../../src/learning/learning.ts"
import type { EpisodeEvent } from "../../src/memories/episode.ts"
import type { Memory } from "../../src/memories/memory.ts"
import { injectedTexts } from "./injected-texts.ts"
import { findJunk, type Junk } from "./junk.ts"

export type ClientFigures = {
  client: string
  files: number
  /** Files on which something threw; nothing of them is in the other figures. */
  crashed: { path: string; error: string }[]
  megabytes: number
  human: number
  calls: number
  errors: number
  tests: { passed: number; failed: number }
  ingestion: Ingestion
  memories: Memory[]
  writer: string
  junk: Junk
  /** CPU seconds by pass over the same files, each into a store of its own: to read them into episodes, to learn, to JSON.parse their lines. */
  passes: { reading: number; learning: number; parsing: number }[]
}

const mostPasses = 4

/** Ingests one client's transcripts into a store of their own and counts what came of it; then again and again, for the time it takes. */
export async function ingestClient(client: string, transcripts: readonly Transcript[]): Promise<ClientFigures> {
  const { first, paths, crashed } = await ingestWhatDoesNotThrow([...new Set(transcripts.map(({ path }) => path))])
  const passes = [first.seconds]
  while (passes.length < mostPasses) passes.push((await ingestOnce(paths)).seconds)
  return {
    client,
    files: transcripts.length,
    crashed,
    megabytes: paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1e6,
    ...first.figures,
    ingestion: first.ingestion,
    memories: first.memories,
    writer: first.writer,
    junk: await findJunk(first.memories, injectedTexts(paths), likenessOf()),
    passes,
  }
}

type FirstIngest = {
  first: Awaited<ReturnType<typeof ingestOnce>>
  paths: readonly string[]
  crashed: ClientFigures["crashed"]
}

/** When all files together throw, each is tried by itself, and those that throw are left out. */
async function ingestWhatDoesNotThrow(all: readonly string[]): Promise<FirstIngest> {
  try {
    return { first: await ingestOnce(all), paths: all, crashed: [] }
  } catch (error) {
    const crashed: ClientFigures["crashed"] = []
    for (const path of all)
      await ingestOnce([path]).catch((thrown: unknown) => crashed.push({ path, error: String(thrown) }))
    if (crashed.length === 0) throw error // only together: there are no figures without any of them
    const paths = all.filter((path) => !crashed.some((each) => each.path === path))
    return { first: await ingestOnce(paths), paths, crashed }
  }
}

async function ingestOnce(paths: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "drey-learning-"))
  const root = join(folder, "repository")
  mkdirSync(join(root, ".squad"), { recursive: true })
  const home = join(folder, "home")
  const learning = openLearning({
    home,
    root,
    owner: "bench",
    writer: { kind: "rules" },
    machine: { home: join(folder, "nobody"), environment: { DREY_HOME: home }, platform: process.platform },
    now: () => new Date("2027-01-01T00:00:00Z"), // after every session: nothing is still going on
    warn: () => {},
    mayLearn: () => true,
  })
  const figures = { human: 0, calls: 0, errors: 0, tests: { passed: 0, failed: 0 } }
  const observe = (_client: string, event: EpisodeEvent) => {
    if (event.role === "user" && event.kind === "message") figures.human++
    if (event.kind === "tool_call") figures.calls++
    if (event.is_error) figures.errors++
    if (event.test !== undefined) figures.tests[event.test]++
  }
  const parsing = cpuClock()
  for (const path of paths) parseLines(path)
  const parsed = parsing()
  const ingesting = cpuClock()
  let read: number | undefined
  const progress = (stage: string) => {
    if (stage === "learning") read ??= ingesting()
  }
  const ingestion = await learning.ingest({ files: [...paths], observe, progress })
  const whole = ingesting()
  const reading = read ?? whole
  const memories = await learning.memories({ statuses: ["provisional", "active"] })
  const { writer } = await learning.status()
  await learning.close()
  rmSync(folder, { recursive: true, force: true })
  return { figures, ingestion, memories, writer, seconds: { reading, learning: whole - reading, parsing: parsed } }
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

/** CPU seconds since it was made; other work on the machine does not count. */
function cpuClock(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  }
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
    return cosineSimilarity(a, b)
  }
}
