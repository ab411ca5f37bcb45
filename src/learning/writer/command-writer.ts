import { spawn } from "node:child_process"
import { basename } from "node:path"
import { makeTemporaryFolder, removeTemporaryFolder } from "../../disk/home-files.ts"
import { clip } from "../../formats/text.ts"
import { scrubText } from "../../governance/redaction.ts"
import type { Writer } from "../../memories/writer.ts"
import type { WriterPrompt } from "./prompt.ts"
import { answerEpisode, findAnswer, type ModelReply, pauseUnless, type Wait } from "./writer-answer.ts"

export type CommandWriterOptions = {
  /** The program and its arguments: `["claude", "-p"]`. It gets the prompt on stdin and must print JSON. */
  command: readonly string[]
  timeoutMs?: number
  pause?: Wait
  environment?: NodeJS.ProcessEnv
}

/** First in the prompt: a session started by it is never learned from. */
const writerMark = "<drey-writer>"

/** A writer that asks an installed coding agent. */
export function commandWriter(options: CommandWriterOptions): Writer {
  const name = basename(options.command[0] ?? "").replace(/\.(?:exe|cmd|bat)$/i, "")
  /** In an empty folder: no project instructions in the prompt, and nothing to change. */
  const inFolder = async <Result>(act: (folder: string) => Promise<Result>) => {
    const folder = makeTemporaryFolder("writer")
    try {
      return await act(folder)
    } finally {
      removeTemporaryFolder(folder)
    }
  }
  return {
    id: `command:${name}`,
    write: (input, signal, onReply) =>
      inFolder((folder) => {
        const ask = (prompt: WriterPrompt) => askCommand(options, { name, prompt, folder, signal })
        return answerEpisode(input, ask, { pause: options.pause ?? pauseUnless(signal), onReply })
      }),
    ask: (question, signal) =>
      inFolder(async (folder) => {
        const prompt = { system: question.system, prompt: scrubText(question.prompt) }
        const reply = await askCommand(options, { name, prompt, folder, signal })
        return reply.kind === "text" ? reply : { kind: "failed", reason: reply.reason }
      }),
  }
}

type Request = { name: string; prompt: WriterPrompt; folder: string; signal: AbortSignal | undefined }

async function askCommand(
  options: CommandWriterOptions,
  { name, prompt, folder, signal }: Request,
): Promise<ModelReply> {
  const run = await runCommand({
    command: options.command,
    input: `${writerMark}\n${prompt.system}\n\n${prompt.prompt}\n`,
    folder,
    environment: { ...(options.environment ?? process.env), DREY_WRITER: "1" }, // Drey's own hooks ignore this process
    timeoutMs: options.timeoutMs ?? 180_000,
    signal,
  })
  return explainRun(run, name)
}

function explainRun(run: CommandRun, name: string): ModelReply {
  if (run.kind === "not found") return { kind: "down", reason: `${name} could not be started` }
  if (run.kind === "stopped") return { kind: "down", reason: `${name} ${stopped[run.why]}` }
  if (run.exitCode === 0 && findAnswer(run.output)) return { kind: "text", text: run.output, wasCutOff: false }
  const said = `${run.output}\n${run.errors}`
  if (overload.test(said)) return { kind: "busy", reason: `${name} reports that its service is busy` }
  if (run.exitCode === 0) return { kind: "text", text: run.output, wasCutOff: false }
  return {
    kind: "down",
    reason: `${name} exited with ${run.exitCode ?? "a signal"}: ${lastLineOf(run.errors || run.output)}`,
  }
}

const stopped = {
  time: "did not answer in time",
  signal: "was stopped before it answered",
  output: "printed too much output",
}

const overload = /rate.?limit|too many requests|overloaded|\b(?:429|529|503)\b|at capacity/i

/** A program's last line usually has the reason. */
function lastLineOf(printed: string): string {
  return clip(scrubText(printed.trim().split("\n").at(-1) ?? ""), 160)
}

type CommandRun =
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
function runCommand(options: CommandOptions): Promise<CommandRun> {
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
    child.stdin.on("error", () => {}) // it may exit without reading; its exit code shows
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
