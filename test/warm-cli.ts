import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"
import { type CliOptions, type CliResult, cliPath, environmentOf, makeRepository, runCli } from "./run-cli.ts"

let host: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs the built CLI like `runCli`, but in a process that has run other command lines before: a tenth of the time. For tests of what
 * commands say and do in many cases; not for hooks and servers, what runs side by side, how a process begins
 * and ends, or what is done to a database between two runs.
 */
export function runWarm(args: string[], options: CliOptions): Promise<CliResult> {
  const { cwd, env, input = "", cli, node, uid } = options
  const needsProcess = cli !== undefined || node !== undefined || uid !== undefined || args[0] === "hook" // a hook ends its process
  if (needsProcess) return runCli(args, options)
  const line = { args, cwd, env: environmentOf(env), input }
  const result = last.then(() => runInHost(line))
  last = result.catch(() => {}) // the caller gets the error; the next line has a new process
  return result
}

/** Runs it in one repository and with one home: what a run keeps there, the next one finds. */
export function warmCliIn(cwd: string): { home: string; run: (...args: string[]) => Promise<CliResult> } {
  const home = makeRepository({})
  return { home, run: (...args) => runWarm(args, { cwd, env: { DREY_HOME: home } }) }
}

function runInHost(line: object): Promise<CliResult> {
  host ??= startHost()
  const child = host
  return new Promise((resolve, reject) => {
    const endEarly = (code: number | null) => {
      host = undefined
      reject(new Error(`The process of the CLI ended with ${code}.`))
    }
    child.once("exit", endEarly)
    child.once("message", (result) => {
      child.removeListener("exit", endEarly)
      resolve(result as CliResult)
    })
    child.send(line)
  })
}

/** It exits with the process that runs the tests. */
function startHost(): ChildProcess {
  const script = join(import.meta.dirname, "warm-cli-process.mjs")
  return fork(script, [cliPath], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] })
}
