import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { exitCode } from "../../../src/errors.ts"

export type Ran = { code: number | null; stdout: string; stderr: string; ms: number; wasKilled: boolean }

/** One repository and one home, the built program, and which of its processes run right now. */
export type SoakPlace = {
  folder: string
  root: string
  home: string
  environment: NodeJS.ProcessEnv
  /** Every process that may be killed, with what it was started for. */
  live: Map<ChildProcess, string>
  /** What the program itself called a bug. */
  bugs: string[]
  /** Kills one with -9; what it did until then is not acknowledged. */
  kill(child: ChildProcess): void
  wasKilled(child: ChildProcess): boolean
  start(name: string, args: readonly string[]): ChildProcess
  run(name: string, args: readonly string[], input?: string): Promise<Ran>
}

/** With all the memory that Node would take, garbage lies about while the processor is busy, and growth says nothing; here a leak ends the process. */
const smallHeap = "--max-old-space-size=128"

export function makeSoakPlace(program: string): SoakPlace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "drey-soak-")))
  const [root, home] = [join(folder, "repository"), join(folder, "home")]
  for (const each of [root, home]) mkdirSync(each)
  const environment = { PATH: process.env.PATH, HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines" }
  const live = new Map<ChildProcess, string>()
  const bugs: string[] = []
  const killed = new Set<ChildProcess>()
  const start = (name: string, args: readonly string[]) => {
    const child = spawn(process.execPath, [smallHeap, program, ...args], { cwd: root, env: environment })
    child.stdin.on("error", () => {}) // a process that was killed takes nothing any more
    live.set(child, name)
    child.once("exit", () => live.delete(child))
    return child
  }
  return {
    folder,
    root,
    home,
    environment,
    live,
    bugs,
    kill(child) {
      killed.add(child)
      child.kill("SIGKILL")
    },
    wasKilled: (child) => killed.has(child),
    start,
    async run(name, args, input = "") {
      const began = performance.now()
      const child = start(name, args)
      const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
      child.stdin?.end(input)
      const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
      const wasKilled = killed.delete(child)
      if (code === exitCode.bug && !wasKilled) bugs.push(`drey ${args.join(" ")}: ${stderr().trim().slice(0, 300)}`)
      return { code, stdout: stdout(), stderr: stderr(), ms: performance.now() - began, wasKilled }
    },
  }
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = ""
  stream?.setEncoding("utf8").on("data", (piece: string) => {
    text += piece
  })
  return () => text
}
