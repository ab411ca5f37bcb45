import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { createInterface } from "node:readline"

/** A `drey` that answers this extension, as a child process: a slow answer or a crash never blocks the extension host. */
export type DreyProcess = {
  call<Result>(method: string, params: object): Promise<Result>
  /** Resolves with why it ended; undefined if it was stopped. */
  ended: Promise<string | undefined>
  stop(): void
}

export type DreyProgram = { command: string; args: string[] }

export type ProcessOptions = {
  program: DreyProgram
  /** The folder that it is started in. */
  folder: string
  environment: NodeJS.ProcessEnv
  onChange(change: DreyChange): void
  log(line: string): void
}

/** Something was added, changed or ended, by any process. */
export type DreyChange = {
  event: "appeared" | "changed" | "ended"
  what: "memory" | "entry"
  type: string
  id: string
  title: string
}

type Answer = { id?: number; method?: string; params?: DreyChange; result?: unknown; error?: { message: string } }

export function startDrey({ program, folder, environment, onChange, log }: ProcessOptions): DreyProcess {
  const child: ChildProcessWithoutNullStreams = spawn(program.command, [...program.args, "watch", "--stdio"], {
    cwd: folder,
    env: environmentOfUser(environment),
    windowsHide: true,
    shell: process.platform === "win32" && /\.(?:cmd|bat)$/i.test(program.command), // Node starts a script of npm in no other way
  })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let last = 0
  let isStopped = false
  let words = ""
  const fail = (reason: string) => {
    for (const { reject } of waiting.values()) reject(new Error(reason))
    waiting.clear()
  }
  child.stdin.on("error", () => {}) // it has ended, which is reported below
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, method, params, result, error } = readAnswer(line)
    if (method === "changed" && params) return onChange(params)
    const call = id === undefined ? undefined : waiting.get(id)
    if (id === undefined || !call) return
    waiting.delete(id)
    if (error) call.reject(new Error(error.message))
    else call.resolve(result)
  })
  createInterface({ input: child.stderr }).on("line", (line) => {
    words = line
    log(line)
  })
  const ended = new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => {
      fail(error.message)
      resolve(error.message)
    })
    child.once("close", (code, signal) => {
      const reason = words || `drey ended with ${signal ?? `exit code ${code}`}`
      fail(reason)
      resolve(isStopped ? undefined : reason)
    })
  })
  return {
    ended,
    call(method, params) {
      if (isStopped || child.exitCode !== null) return Promise.reject(new Error("drey is not running"))
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve: (value) => resolve(value as never), reject })
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
      })
    },
    stop() {
      isStopped = true
      child.stdin.end() // it completes what it was asked, then ends
    },
  }
}

function readAnswer(line: string): Answer {
  try {
    return JSON.parse(line) as Answer
  } catch {
    return {} // not of the protocol
  }
}

/**
 * An editor that was started from an agent's terminal has the agent's marks in its environment, and Drey would take the user's clicks for
 * the agent's. The extension acts for the user alone.
 */
function environmentOfUser(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const marks =
    /^(?:AI_AGENT|AGENT|CLAUDECODE|CLAUDE_CODE.*|CODEX_.*|GEMINI_CLI|COPILOT_.*|CURSOR_AGENT|OPENCODE.*|CLINE_ACTIVE|ROO_ACTIVE|QWEN_CODE|GOOSE_TERMINAL|AMP_.*|AUGMENT_AGENT|ANTIGRAVITY_AGENT|TRAE_.*|PI_CODING_AGENT|DREY_AGENT)$/
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !marks.test(name)))
}
