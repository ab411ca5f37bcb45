import type { Command } from "commander"
import type { Governed } from "../../drey/governed.ts"
import { type Drey, openDrey } from "../../drey.ts"
import { DreyError, type ExitCode, exitCode } from "../../errors.ts"
import { contextId } from "../../formats/ids.ts"
import { removeInvisible, removeInvisibleInLines } from "../../formats/text.ts"
import { actingAgent } from "../../hooks/acting-agent.ts"
import type { MemoryLogLevel } from "../../team/governed/log-level.ts"
import { command } from "../command.ts"
import { colors, toJson, writeOut } from "../output.ts"
import { type CommonOptions, listLine, printNotice } from "../print.ts"

/** The output of the memory commands; a program that runs them in process passes its own. */
export type MemoryOutput = {
  /** A person reads it: text instead of Squad's JSON. */
  isTerminal?: boolean
  print(text: string): void
  tell(text: string): void
  end(code: ExitCode): void
}

export const processOutput: MemoryOutput = {
  isTerminal: process.stdout.isTTY === true,
  print: (text) => writeOut(`${text}\n`, { paged: false }),
  tell: printNotice,
  end: (code) => {
    process.exitCode = code
  },
}

export type MemoryCommandOptions = CommonOptions & { logLevel?: string; verbose?: boolean }

/** Logs an event to stderr as `key=value` pairs: lengths, counts and classes, never content. */
export type MemoryLog = (
  level: Exclude<MemoryLogLevel, "none">,
  event: string,
  fields?: Record<string, unknown>,
) => void

/** A subcommand of `drey memory` that prints JSON, with the options all of them share. */
export function memorySubcommand(name: string, description: string, example: string): Command {
  return command(name, description, example)
    .option("--log-level <level>", "log to stderr: none, error, info or debug")
    .option("-v, --verbose", "the same as --log-level debug")
}

/** Runs one subcommand: opens the store, logs beginning and errors, prints the document it gives. */
export async function runMemory(
  face: MemoryOutput,
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
    face.print(face.isTerminal && !options.json ? documentText(document) : toJson(document))
    face.end(code ?? exitCode.done)
  } catch (error) {
    log("error", "command.error", { command: name, error: error instanceof DreyError ? "DreyError" : "Error" })
    throw error
  }
}

type Fields = Record<string, unknown>

/** A document for a person: a line for each record of a list, a line for each field of a record, and its text below them. */
function documentText(document: unknown): string {
  if (Array.isArray(document)) {
    const rows = document.filter(isFields)
    return rows.length === 0 ? "Nothing found." : rows.map(rowText).join("\n")
  }
  if (!isFields(document)) return String(document)
  const { content, ...fields } = document
  return [...fieldLines(fields), ...(typeof content === "string" ? ["", removeInvisibleInLines(content)] : [])].join(
    "\n",
  )
}

function rowText({ id, class: memoryClass, title, path, timestamp, action, actor, snippet }: Fields): string {
  const shown = (value: unknown) => (typeof value === "string" && value !== "" ? [value] : [])
  const when = shown(timestamp).map((time) => time.slice(0, 16).replace("T", " "))
  const lead = [...when, ...shown(action), ...shown(id).map((each) => contextId(each)), ...shown(memoryClass)]
  const text = shown(title)[0] ?? shown(snippet)[0] ?? ""
  return listLine(colors.cyan(removeInvisible(lead.join("  "))), text, [...shown(actor), ...shown(path)].join("  "))
}

function fieldLines(fields: Fields, indent = ""): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined || value === null) return []
    const label = `${indent}${colors.dim(name)}`
    if (isFields(value)) return Object.keys(value).length === 0 ? [] : [label, ...fieldLines(value, `${indent}  `)]
    if (!Array.isArray(value)) return [`${label}  ${removeInvisible(String(value))}`]
    const rows = value.map((each) => (isFields(each) ? rowText(each) : removeInvisible(String(each))))
    return rows.length === 0 ? [] : [label, ...rows.map((row) => `${indent}  ${row}`)]
  })
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The text of a command: from the flag, otherwise from the words; without either, the command's usage. */
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

const rank: Record<MemoryLogLevel, number> = { none: 0, error: 1, info: 2, debug: 3 }

async function openLog(face: MemoryOutput, drey: Drey, options: MemoryCommandOptions): Promise<MemoryLog> {
  const request = { flag: options.logLevel, verbose: options.verbose }
  const { level: chosen, warning, show } = await drey.governed.logLevel(request)
  if (warning) face.tell(`drey: ${warning}`)
  return (level, event, fields = {}) => {
    if (rank[level] > rank[chosen]) return
    const pairs = Object.entries(fields).filter(([, value]) => value !== undefined)
    face.tell([`[memory:${level}]`, event, ...pairs.map(([key, value]) => `${key}=${show(value)}`)].join(" "))
  }
}
