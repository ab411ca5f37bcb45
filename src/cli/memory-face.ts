import type { Command } from "commander"
import { actingAgent } from "../agent.ts"
import type { Governed } from "../drey/governed.ts"
import { type Drey, openDrey } from "../drey.ts"
import { DreyError, type ExitCode, exitCode } from "../errors.ts"
import type { LogLevel } from "../squad/memory/log-level.ts"
import { command } from "./command.ts"
import { type CommonOptions, tell } from "./print.ts"
import { toJson, writeOut } from "./write-out.ts"

/** Where the memory commands speak to; a program that runs them in its own process hands in another. */
export type MemoryFace = {
  print(text: string): void
  tell(text: string): void
  end(code: ExitCode): void
}

export const processFace: MemoryFace = {
  print: (text) => writeOut(`${text}\n`, { paged: false }),
  tell,
  end: (code) => {
    process.exitCode = code
  },
}

export type MemoryCommandOptions = CommonOptions & { logLevel?: string; verbose?: boolean }

/** Tells an event on stderr as `key=value` pairs: lengths, counts and classes, never content. */
export type MemoryLog = (level: Exclude<LogLevel, "none">, event: string, fields?: Record<string, unknown>) => void

/** A subcommand of `drey memory` that prints JSON, with the options all of them share. */
export function memorySubcommand(name: string, description: string, example: string): Command {
  return command(name, description, example)
    .option("--log-level <level>", "tell on stderr what happens: none, error, info or debug")
    .option("-v, --verbose", "the same as --log-level debug")
}

/** Runs one subcommand: opens the store, logs beginning and errors, prints the document it gives. */
export async function runMemory(
  face: MemoryFace,
  name: string,
  options: MemoryCommandOptions,
  act: (memory: Governed, log: MemoryLog) => Promise<{ document: unknown; code?: ExitCode }>,
): Promise<void> {
  const drey = openDrey({ ...options, agent: actingAgent(process.env) })
  const log = await openLog(face, drey, options)
  log("info", "command.start", { command: name })
  try {
    const memory = drey.governed.as({ warn: (message) => face.tell(`drey: ${message}`) })
    const { document, code } = await act(memory, log)
    face.print(toJson(document))
    face.end(code ?? exitCode.done)
  } catch (error) {
    log("error", "command.error", { command: name, error: error instanceof DreyError ? "DreyError" : "Error" })
    throw error
  }
}

/** The text of a command: the flag's, else the words; without either, how the command is used. */
export function requireText(flag: string | undefined, words: readonly string[], usage: string): string {
  const text = flag ?? words.join(" ")
  if (text.trim() === "") throw new DreyError(`Usage: ${usage}`)
  return text
}

/** `true`, `1`, `yes`, `on` and their opposites; undefined for any other word. */
export function readBoolean(word: string): boolean | undefined {
  if (/^(?:true|1|yes|on)$/i.test(word.trim())) return true
  return /^(?:false|0|no|off)$/i.test(word.trim()) ? false : undefined
}

const rank: Record<LogLevel, number> = { none: 0, error: 1, info: 2, debug: 3 }

async function openLog(face: MemoryFace, drey: Drey, options: MemoryCommandOptions): Promise<MemoryLog> {
  const request = { flag: options.logLevel, verbose: options.verbose }
  const { level: chosen, warning, show } = await drey.governed.logLevel(request)
  if (warning) face.tell(`drey: ${warning}`)
  return (level, event, fields = {}) => {
    if (rank[level] > rank[chosen]) return
    const pairs = Object.entries(fields).filter(([, value]) => value !== undefined)
    face.tell([`[memory:${level}]`, event, ...pairs.map(([key, value]) => `${key}=${show(value)}`)].join(" "))
  }
}
