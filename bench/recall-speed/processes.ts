import { spawn } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { build } from "esbuild"
import { writeRepository } from "./made-repository.ts"

export type ProcessesOptions = {
  folder: string
  /** The repository's own folder, for its sources and packages. */
  project: string
  entries: number
  readers: number
  writers: number
  /** How many memories each writer stores; readers continue until all are done. */
  writes: number
}

export type ProcessesOutcome = {
  errors: string[]
  /** Memories that a reader, asked after the write was acknowledged, did not find. */
  stale: string[]
  writes: number
  searches: number
  seconds: number
}

/** Readers and writers, each a process of its own, at one store: every acknowledged write must be found by whichever reader is asked next. */
export async function runProcesses(options: ProcessesOptions): Promise<ProcessesOutcome> {
  const { folder, project, entries, readers, writers, writes } = options
  const root = join(folder, "shared")
  mkdirSync(root)
  writeRepository(root, entries)
  const script = await bundleChild(folder, project)
  const outcome: ProcessesOutcome = { errors: [], stale: [], writes: 0, searches: 0, seconds: 0 }
  const start = (role: string) => startChild(script, [role, root], join(folder, "home"), outcome.errors)
  const reading = Array.from({ length: readers }, () => start("read"))
  const writing = Array.from({ length: writers }, (_, number) => start(`write-${number}`))
  await Promise.all([...reading, ...writing].map((child) => child.ask("ready")))

  const started = performance.now()
  let isOver = false
  const keepReading = async (reader: Child) => {
    while (!isOver && outcome.errors.length === 0) {
      await reader.ask("cache queue retry")
      outcome.searches++
    }
  }
  const keepWriting = async (writer: Child, number: number) => {
    for (let turn = 0; turn < writes && outcome.errors.length === 0; turn++) {
      const marker = `marker${String.fromCharCode(97 + number)}${turn}x${number * 7919 + turn}`
      await writer.ask(marker)
      outcome.writes++
      const reader = reading[(number + turn * writers) % readers]
      const answer = await reader?.ask(marker)
      outcome.searches++
      if (answer !== "found") outcome.stale.push(marker)
    }
  }
  const others = reading.map(keepReading)
  await Promise.all(writing.map(keepWriting))
  isOver = true
  await Promise.all(others)
  outcome.seconds = (performance.now() - started) / 1000
  await Promise.all([...reading, ...writing].map((child) => child.end()))
  return outcome
}

/** Prints what several seconds of it came to. */
export async function printProcesses(options: ProcessesOptions): Promise<void> {
  const { errors, stale, writes, searches, seconds } = await runProcesses(options)
  console.log(`\n### ${options.readers} processes read while ${options.writers} write, ${options.entries} entries\n`)
  console.log(
    `- ${errors.length} errors and ${stale.length} stale answers after an acknowledged write (goal: none of either).`,
  )
  console.log(
    `- ${writes} writes and ${searches} searches in ${seconds.toFixed(1)} s: ${(writes / seconds).toFixed(1)} and ${(searches / seconds).toFixed(1)} a second.`,
  )
  for (const error of errors.slice(0, 3)) console.log(`- ${error.trim()}`)
}

/** Answers each line of its input with one line: a writer stores it, a reader reports whether it is found. */
const childSource = `
import { createInterface } from "node:readline"
import { openDrey } from "./src/drey.ts"
const [role, root] = process.argv.slice(2)
const drey = openDrey({ root, warn: () => {} })
const memory = role === "read" ? undefined : drey.governed
for await (const line of createInterface({ input: process.stdin })) {
  const [turn, text] = line.split("\\t")
  let answer = "ready"
  if (text !== "ready" && memory) {
    const outcome = role.endsWith("0")
      ? await drey.governed.saveForAgent("kane", { title: "Learned " + text, summary: "The word to find is " + text + "." })
      : await memory.write({ content: "The word to find is " + text, author: role, class: "LOCAL" })
    answer = "kind" in outcome ? outcome.kind : outcome.stored ? "stored" : "refused"
    if (answer !== "stored") throw new Error("not stored: " + JSON.stringify(outcome))
  } else if (text !== "ready") {
    const { hits } = await drey.search.items({ query: { filters: [], terms: text.split(" ").map((word) => ({ text: word, negated: false })) } })
    answer = hits.some(({ snippet, title }) => (snippet + title).includes(text)) ? "found" : "nothing"
  }
  process.stdout.write(turn + "\\t" + answer + "\\n")
}
await drey.close()
`

async function bundleChild(folder: string, project: string): Promise<string> {
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"))
  symlinkSync(join(project, "assets"), join(folder, "assets"))
  writeFileSync(join(folder, "package.json"), '{ "name": "drey" }\n') // so that the shipped files are found
  const outfile = join(folder, "child.mjs")
  await build({
    stdin: { contents: childSource, resolveDir: project, loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  })
  return outfile
}

type Child = { ask(text: string): Promise<string | undefined>; end(): Promise<void> }

function startChild(script: string, args: string[], home: string, errors: string[]): Child {
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env.PATH ?? "", HOME: home, DREY_HOME: home },
  })
  const waiting = new Map<string, (answer: string | undefined) => void>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [turn = "", answer] = line.split("\t")
    waiting.get(turn)?.(answer)
    waiting.delete(turn)
  })
  let told = ""
  child.stderr.on("data", (text) => {
    told += text
  })
  const ended = new Promise<void>((settle) =>
    child.on("close", (code) => {
      if (code !== 0 || told !== "") errors.push(`a process ended with ${code}: ${told}`)
      for (const answer of waiting.values()) answer(undefined)
      settle()
    }),
  )
  let turns = 0
  return {
    ask: (text) =>
      new Promise((answer) => {
        if (child.exitCode !== null) return answer(undefined)
        waiting.set(String(++turns), answer)
        child.stdin.write(`${turns}\t${text}\n`)
      }),
    end: async () => {
      child.stdin.end()
      await ended
    },
  }
}
