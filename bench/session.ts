// What working memory costs: an append to a file near its limit, and a prompt out of many entries. With files or folders as arguments, every YAML
// block in them is put through the reader and the editor as well.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse, stringify } from "yaml"
import { writeFileAtomic } from "../src/disk/atomic-write.ts"
import { openDrey } from "../src/drey.ts"
import type { AgentMemory } from "../src/formats/session/agent-memory.ts"
import { buildAgentSystemPrompt } from "../src/sessions/agent-prompt.ts"
import type { Session } from "../src/sessions/session-api.ts"
import { checkBlocks } from "./session/check-blocks.ts"

const limitBytes = 100_000
const rounds = 200

await appends()
prompts()
blocks(process.argv.slice(2))

/** Beside the same work done plainly: read the file, parse it, add, print it, write it back as safely. */
async function appends(): Promise<void> {
  console.log(`## Appending to a file of at most ${limitBytes / 1000} KB, in one process\n`)
  console.log("| file | p50 | p95 | |\n|---|---|---|---|")
  for (const bytes of [limitBytes / 8, limitBytes / 4, limitBytes / 2, limitBytes - 4000]) await appendsAt(bytes)
}

async function appendsAt(bytes: number): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "drey-bench-"))
  try {
    const session = await openDrey({ root, environment: { DREY_HOME: root } }).sessions.start({
      task: "bench",
      agent: "developer",
    })
    const path = join(session.folder, "agent-memory.yaml")
    let number = 0
    while (statSync(path).size < bytes) await addDiscovery(session, number++)
    const full = readFileSync(path, "utf8")
    const own = await timed(rounds, async () => {
      writeFileAtomic(path, full) // as it was before, so that each append meets the same size
      return () => addDiscovery(session, number++)
    })
    const whole = await timed(20, async () => () => rewriteWhole(join(root, "plain.yaml"), full))
    const floor = await timed(50, async () => () => writeFileAtomic(join(root, "floor.yaml"), full))
    const size = `${(full.length / 1000).toFixed(0)} KB`
    console.log(
      `| ${size} | ${show(own.p50)} | ${show(own.p95)} | drey${bytes > limitBytes / 2 ? " (goal: p95 at most 15 ms)" : ""} |`,
    )
    console.log(
      `| ${size} | ${show(whole.p50)} | ${show(whole.p95)} | the yaml library: parse, add, print; ${(whole.p50 / own.p50).toFixed(1)} × |`,
    )
    console.log(
      `| ${size} | ${show(floor.p50)} | ${show(floor.p95)} | the write alone, fsync and rename; ${(floor.p50 / own.p50).toFixed(2)} × |`,
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function addDiscovery(session: Session, number: number): Promise<void> {
  await session.addDiscovery("developer", {
    type: "code_pattern",
    content: `The parser of module ${number} keeps its own table of names.\nIt is filled by the loader, and read by the printer.`,
    relatedFiles: [`src/module-${number}/parser.ts`],
  })
}

async function rewriteWhole(path: string, text: string): Promise<void> {
  const value = parse(text)
  value.discoveries.push({
    id: "discovery-999",
    timestamp: "2026-01-23T10:31:10.000Z",
    type: "code_pattern",
    content: "New.",
  })
  writeFileAtomic(path, stringify(value))
}

function prompts(): void {
  console.log("\n## Building a prompt\n")
  console.log("| entries | p50 | p95 | per entry |\n|---|---|---|---|")
  for (const entries of [100, 1000, 10_000]) {
    const memory = memoryOf(entries)
    const times = Array.from({ length: 50 }, () => {
      const started = performance.now()
      buildAgentSystemPrompt({ systemPrompt: "You write code." }, memory)
      return performance.now() - started
    })
    const { p50, p95 } = quantiles(times)
    const goal = entries === 1000 ? " (goal: under 5 ms)" : ""
    console.log(`| ${entries} | ${show(p50)} | ${show(p95)}${goal} | ${((p50 / entries) * 1000).toFixed(2)} µs |`)
  }
}

/** Half discoveries, half attempts, of which every third failed. */
function memoryOf(entries: number): AgentMemory {
  const moment = (number: number) => new Date(Date.UTC(2026, 0, 23) + number * 1000).toISOString()
  const half = Array.from({ length: entries / 2 }, (_, number) => number)
  return {
    version: "1",
    schema: "agent-memory",
    sessionId: "20260123-103000-abc1def2-bench",
    agent: "developer",
    createdAt: moment(0),
    discoveries: half.map((number) => ({
      id: `discovery-${number}`,
      timestamp: moment(number),
      type: "code_pattern",
      importance: "medium" as const,
      content: `What stands in module ${number}:\n- one thing\n- another`,
      relatedFiles: [],
      actionItems: [],
    })),
    attempts: half.map((number) => ({
      id: `attempt-${number}`,
      timestamp: moment(number),
      description: `Change module ${number}`,
      approach: `Rewrite the loader of module ${number}`,
      result: number % 3 === 0 ? ("failure" as const) : ("success" as const),
      error: `Module ${number} cannot be loaded`,
      commands: [],
      subTasks: [],
      artifacts: [],
    })),
    decisions: [],
    context: undefined,
    history: [],
  }
}

function blocks(paths: string[]): void {
  const files = paths.flatMap((path) =>
    statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path],
  )
  if (files.length === 0) return
  console.log("\n## YAML blocks\n")
  console.log(
    "| file | blocks | read | same bytes when nothing changes | comments and other lines kept when something does |",
  )
  console.log("|---|---|---|---|---|")
  for (const path of files) {
    const { total, read, same, kept, problems } = checkBlocks(readFileSync(path, "utf8"))
    if (total > 0) console.log(`| ${path} | ${total} | ${read} | ${same} | ${kept} |`)
    for (const problem of problems) console.log(`  ${problem}`)
  }
}

type Quantiles = { p50: number; p95: number }

/** `prepare` is not counted; what it returns is. */
async function timed(count: number, prepare: () => Promise<() => unknown>): Promise<Quantiles> {
  const times: number[] = []
  for (let round = 0; round < count; round++) {
    const act = await prepare()
    const started = performance.now()
    await act()
    times.push(performance.now() - started)
  }
  return quantiles(times)
}

function quantiles(times: number[]): Quantiles {
  const sorted = times.sort((one, other) => one - other)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95) }
}

function show(milliseconds: number): string {
  return `${milliseconds.toFixed(milliseconds < 1 ? 3 : 1)} ms`
}
