import { spawn } from "node:child_process"

/** A process to be timed from its start to its end, or to what it is waited for. */
export type Contestant = {
  node?: string
  args: string[]
  input?: string
  /** What it must print, so that only answers are compared. */
  prints?: RegExp
}

export type TurnsOptions = { cwd: string; env: Record<string, string>; runs: number }

/** Runs all of them in turns, so that they meet the same disturbances; which one comes first changes with every round. */
export async function runInTurns(
  contestants: Record<string, (round: number) => Contestant>,
  { cwd, env, runs }: TurnsOptions,
): Promise<Map<string, number[]>> {
  const names = Object.keys(contestants)
  const times = new Map(names.map((name) => [name, [] as number[]]))
  for (let round = -2; round < runs; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + names.length) % names.length] ?? ""
      const contestant = contestants[name]?.(round)
      const time = contestant ? await timeProcess(contestant, cwd, env) : Number.NaN
      if (round >= 0) times.get(name)?.push(time) // the first two fill caches
    }
  }
  return times
}

async function timeProcess(
  { node = process.execPath, args, input = "", prints = /^$/ }: Contestant,
  cwd: string,
  env: Record<string, string>,
): Promise<number> {
  const started = performance.now()
  const child = spawn(node, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] })
  let output = ""
  let errors = ""
  child.stdout.on("data", (text) => {
    output += text
  })
  child.stderr.on("data", (text) => {
    errors += text
  })
  child.stdin.on("error", () => {}) // it may end without reading
  child.stdin.end(input)
  const code = await new Promise<number | null>((settle, reject) => child.on("error", reject).on("close", settle))
  const time = performance.now() - started
  if (code !== 0 || !prints.test(output)) throw new Error(`${args.join(" ")} ended with ${code}: ${output}${errors}`)
  return time
}
