import { basename } from "node:path"
import { makeTemporaryFolder, removeTemporaryFolder } from "../disk/temporary-folder.ts"
import { clip } from "../formats/memory-text.ts"
import { scrubText } from "../governance/find-sensitive.ts"
import { answerEpisode, type Pause, pauseUnless, type Reply } from "./answer-episode.ts"
import { findAnswer } from "./find-answer.ts"
import type { WriterPrompt } from "./prompt.ts"
import { type CommandRun, runCommand } from "./run-command.ts"
import type { Writer } from "./writer.ts"

export type CommandWriterOptions = {
  /** The program and its arguments: `["claude", "-p"]`. It gets the prompt on stdin and must print JSON. */
  command: readonly string[]
  timeoutMs?: number
  pause?: Pause
  environment?: NodeJS.ProcessEnv
}

/** First in the prompt: a session started by it is never learned from. */
const writerMark = "<drey-writer>"

/** A writer that asks an installed coding agent. */
export function commandWriter(options: CommandWriterOptions): Writer {
  const name = basename(options.command[0] ?? "").replace(/\.(?:exe|cmd|bat)$/i, "")
  return {
    id: `command:${name}`,
    async write(input, signal) {
      // An empty folder: no project instructions in the prompt, and nothing to change.
      const folder = makeTemporaryFolder("writer")
      try {
        const ask = (prompt: WriterPrompt) => askCommand(options, { name, prompt, folder, signal })
        return await answerEpisode(input, ask, options.pause ?? pauseUnless(signal))
      } finally {
        removeTemporaryFolder(folder)
      }
    },
  }
}

type Request = { name: string; prompt: WriterPrompt; folder: string; signal: AbortSignal | undefined }

async function askCommand(options: CommandWriterOptions, { name, prompt, folder, signal }: Request): Promise<Reply> {
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

function explainRun(run: CommandRun, name: string): Reply {
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
