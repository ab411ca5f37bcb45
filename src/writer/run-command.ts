import { spawn } from "node:child_process"

export type CommandRun =
  | { kind: "ended"; exitCode: number | null; output: string; errors: string }
  | { kind: "not found" }
  | { kind: "stopped"; why: "time" | "signal" | "output" }

export type CommandOptions = {
  command: readonly string[]
  input: string
  folder: string
  environment: NodeJS.ProcessEnv
  timeoutMs: number
  signal?: AbortSignal | undefined
}

const isWindows = process.platform === "win32"

/** No answer is this long. */
const mostOutput = 4 * 1024 * 1024

/** Runs a program with a text on stdin. On timeout it is killed with all its children. */
export function runCommand(options: CommandOptions): Promise<CommandRun> {
  const [program = "", ...parameters] = options.command
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      cwd: options.folder,
      env: options.environment,
      detached: !isWindows, // its own process group, so that all of it can be killed
      shell: isWindows, // most agents are installed there as .cmd files, which only a shell can start
      windowsHide: true,
    })
    const output: Buffer[] = []
    const errors: Buffer[] = []
    let size = 0
    const finish = (run: CommandRun) => {
      clearTimeout(timer)
      options.signal?.removeEventListener("abort", onAbort)
      process.off("exit", end)
      resolve(run)
    }
    const end = () => endGroup(child.pid)
    const stop = (why: "time" | "signal" | "output") => {
      end()
      finish({ kind: "stopped", why })
    }
    const onAbort = () => stop("signal")
    const timer = setTimeout(() => stop("time"), options.timeoutMs)
    const collect = (into: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length
      if (size > mostOutput) stop("output")
      else into.push(chunk)
    }
    child.stdout.on("data", collect(output))
    child.stderr.on("data", collect(errors))
    child.stdin.on("error", () => {}) // it may exit without reading; its exit code tells
    child.on("error", () => finish({ kind: "not found" }))
    child.on("close", (exitCode) =>
      finish({
        kind: "ended",
        exitCode,
        output: Buffer.concat(output).toString(),
        errors: Buffer.concat(errors).toString(),
      }),
    )
    process.once("exit", end)
    if (options.signal?.aborted) onAbort()
    else options.signal?.addEventListener("abort", onAbort, { once: true })
    child.stdin.end(options.input)
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  if (isWindows) {
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true }).on("error", () => {})
    return
  }
  try {
    process.kill(-pid, "SIGKILL")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error // already gone
  }
}
