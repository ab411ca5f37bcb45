import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { tokenize } from "../src/index/tokenizer.ts"
import { type HookBenchPlace, makePlace } from "./hook/make-place.ts"
import { printMemory, startServer, timeServer } from "./hook/mcp-server.ts"
import { memorixHook } from "./hook/peer-hooks.ts"
import { type Contestant, runInTurns, type TurnsOptions } from "./hook/run-in-turns.ts"
import { printColumns } from "./recall/print-table.ts"
import { entryMaker } from "./recall-speed/made-entries.ts"
import { findNode } from "./recall-speed/other-nodes.ts"
import { percentile } from "./recall-speed/timing.ts"

/**
 * What clients wait for, each a process from its start to its end, beside the least that any program on Node must do:
 * `node scripts/run-ts.mjs bench/hook.ts [--nodes 20,22,24] [--runs 60] [--quick] [--no-peers]`.
 */

export type HookBenchOptions = { nodes: number[]; runs: number; entries: number; memories: number; peers: boolean }

export async function printHooks({ nodes, runs, entries, memories, peers }: HookBenchOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "drey-hook-"))
  try {
    const place = await makePlace(folder, entries, memories)
    console.log(`\n${memories} memories, ${entries} entries; milliseconds, ${runs} runs in turns.`)
    for (const major of nodes) {
      const found = findNode(major, resolve(".cache"))
      if ("reason" in found) console.log(`\nNode ${major} is not tried: ${found.reason}.`)
      else await printFor(major, found.path, place, runs)
    }
    if (peers) await printPeers(folder, place, runs)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function printFor(major: number, node: string, place: HookBenchPlace, runs: number): Promise<void> {
  const cli = resolve("dist", "cli.cjs")
  const { question } = entryMaker(77)
  const questions = Array.from({ length: 20 }, question)
  const asked = (round: number) => questions[(round + 20) % 20] ?? ""
  const nothing = (): Contestant => ({ node, args: ["-e", "0"] })
  const hook = (event: string, round: number, fields: object): Contestant => ({
    node,
    args: [cli, "hook", "claude-code", event],
    input: JSON.stringify({ session_id: `${major}-${event}-${round}`, cwd: place.root, ...fields }),
  })
  const options = { cwd: place.root, env: place.env, runs }

  console.log(`\n### Node ${major}\n`)
  const prompts = await runInTurns(
    {
      "node -e 0": nothing,
      "bare script, one FTS5 query": (round) => ({
        node,
        args: [place.bare, place.index, [...new Set(tokenize(asked(round)))].map((word) => `"${word}"`).join(" OR ")],
        prints: /rowid/,
      }),
      "prompt hook": (round) => ({
        ...hook("UserPromptSubmit", round, { prompt: asked(round) }),
        prints: /additionalContext/,
      }),
    },
    options,
  )
  printTimes(prompts, "bare script, one FTS5 query", "prompt hook", 1.5)
  await printResident(
    {
      "node -e 0": nothing,
      "prompt hook": (round) => ({
        ...hook("UserPromptSubmit", round + 1000, { prompt: asked(round) }),
        prints: /additionalContext/,
      }),
    },
    () => startServer(node, cli, options),
    options,
  )
  const call = { tool_name: "Bash", tool_input: { command: "npm test", description: "Run the tests" } }
  const calls = await runInTurns(
    { "node -e 0": nothing, "hook before a tool call": (round) => hook("PreToolUse", round, call) },
    options,
  )
  printTimes(calls, "node -e 0", "hook before a tool call", 1.3)
  await timeServer(node, cli, options, major)
  await printMemory(node, cli, options)
}

/** The prompt hook while `drey mcp` runs, which answers in its place. */
async function printResident(
  contestants: Parameters<typeof runInTurns>[0],
  start: () => ReturnType<typeof startServer>,
  options: TurnsOptions,
): Promise<void> {
  const server = await start()
  const socket = join(options.env.DREY_HOME ?? "", "run", "hooks.sock")
  for (let tries = 0; !existsSync(socket) && tries < 100; tries++) await pause(100)
  if (!existsSync(socket)) throw new Error("drey mcp does not answer hooks")
  const times = await runInTurns(contestants, options)
  await server.close()
  console.log("While `drey mcp` runs:\n")
  printTimes(times, "node -e 0", "prompt hook", 1.3)
}

/** On the Node that runs this: a peer may not know another. */
async function printPeers(folder: string, place: HookBenchPlace, runs: number): Promise<void> {
  const peer = await memorixHook(resolve(".cache"), folder)
  if ("reason" in peer) return console.log(`\nNo peer's hook is tried: ${peer.reason}.`)
  const { question } = entryMaker(77)
  const prompts = Array.from({ length: runs + 2 }, question)
  const asked = (round: number) => prompts[round + 2] ?? ""
  const cli = resolve("dist", "cli.cjs")
  const env = { ...place.env, ...peer.env }
  const times = await runInTurns(
    {
      "node -e 0": () => ({ args: ["-e", "0"] }),
      "drey, prompt hook": (round) => ({
        args: [cli, "hook", "claude-code", "UserPromptSubmit"],
        input: JSON.stringify({ session_id: `peer-${round}`, cwd: place.root, prompt: asked(round) }),
        prints: /additionalContext/,
      }),
      [peer.name]: (round) => peer.hook(asked(round)),
    },
    { cwd: place.root, env, runs: Math.ceil(runs / 4) },
  )
  console.log(`\n### Beside a peer, Node ${process.versions.node}\n`)
  printTable(times, "node -e 0")
}

function printTimes(times: Map<string, number[]>, against: string, ours: string, most: number): void {
  printTable(times, against)
  console.log(`\nGoal: p95 of the ${ours} at most ${most} × that of ${against}.\n`)
}

function printTable(times: Map<string, number[]>, against: string): void {
  const base = times.get(against) ?? []
  const rows = [...times].map(([name, list]) => [
    name,
    ...[0.5, 0.95].map((share) => percentile(list, share).toFixed(0)),
    ...[0.5, 0.95].map((share) => (percentile(list, share) / percentile(base, share)).toFixed(2)),
  ])
  printColumns([["", "p50", "p95", `p50, × ${against}`, "p95, ×"], ...rows])
}

if (process.argv[1]?.includes("hook")) {
  const { values } = parseArgs({
    options: {
      nodes: { type: "string", default: "20,22,24" },
      runs: { type: "string", default: "60" },
      quick: { type: "boolean", default: false },
      "no-peers": { type: "boolean", default: false },
    },
  })
  const nodes = values.nodes.split(",").map(Number)
  await printHooks(
    values.quick
      ? { nodes: nodes.slice(0, 1), runs: 10, entries: 200, memories: 500, peers: false }
      : { nodes, runs: Number(values.runs), entries: 2000, memories: 10_000, peers: !values["no-peers"] },
  )
}
