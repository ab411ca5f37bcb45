import { spawnSync } from "node:child_process"
import { stripVTControlCharacters } from "node:util"
import { escapeInvisible, removeInvisibleInLines } from "../formats/text.ts"

/*
 * The one place where the command line writes: whatever titles, names, files and arguments contain, nothing reaches the terminal that
 * could control it.
 */

/** Writes a text to stdout; one that is longer than the terminal goes through the reader's pager, unless it is one of several. */
export function writeOut(text: string, { paged = true }: { paged?: boolean } = {}): void {
  const shown = forTerminal(text)
  const { isTTY, rows, columns } = process.stdout
  const isLong = paged && isTTY === true && linesOnScreen(shown, columns) >= rows
  const pager = isLong ? choosePager(process.env, takeOutputFlags(process.argv).pager) : undefined
  if (pager === undefined || !page(pager, shown)) process.stdout.write(shown)
}

/** Writes a text to stderr, for the user, separate from stdout. */
export function writeError(text: string): void {
  process.stderr.write(forTerminal(text))
}

/** Draws the last line of stderr again. */
export function redrawError(line: string): void {
  process.stderr.write(`\r\u001b[K${forTerminal(line)}`)
}

/** JSON that means the same to a program and nothing to a terminal. */
export function toJson(document: unknown, indent = 2): string {
  return escapeInvisible(JSON.stringify(document, null, indent))
}

/** Writes one JSON document to stdout. */
export function writeJson(document: unknown, indent?: number): void {
  process.stdout.write(`${toJson(document, indent)}\n`)
}

/** Writes a file's JSON to stdout, with the same meaning to a program. */
export function writeJsonText(text: string): void {
  process.stdout.write(escapeInvisible(text))
}

/** Writes a document for other programs to stdout: byte for byte, except on a terminal. */
export function writeDocument(text: string): void {
  if (process.stdout.isTTY) writeOut(text)
  else process.stdout.write(text)
}

/** `DREY_PAGER`, otherwise `PAGER`, otherwise less; none if that is empty, `cat`, or disabled. */
export function choosePager(environment: NodeJS.ProcessEnv, isWanted: boolean): string | undefined {
  const pager = environment.DREY_PAGER ?? environment.PAGER ?? "less"
  return isWanted && environment.TERM !== "dumb" && pager.trim() !== "" && pager.trim() !== "cat" ? pager : undefined
}

/** How many lines of a terminal a text takes. */
export function linesOnScreen(text: string, columns: number): number {
  const lines = stripVTControlCharacters(text.replace(/\n$/, "")).split("\n")
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / Math.max(1, columns))), 0)
}

/** False if there is no such program: the text was not shown. */
function page(pager: string, text: string): boolean {
  const stay = () => {} // Ctrl-C in the pager is the pager's; without a listener it would end this process under it
  process.on("SIGINT", stay)
  const { status, error } = spawnSync(pager, {
    shell: true,
    input: text,
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS: "FRX", LV: "-c", ...process.env },
  })
  process.removeListener("SIGINT", stay)
  const isMissing = status === 127 || (process.platform === "win32" && status !== 0)
  const isClosedEarly = (error as NodeJS.ErrnoException | undefined)?.code === "EPIPE" // the reader has seen enough
  return !isMissing && (error === undefined || isClosedEarly)
}

/** The output options of a command line; `rest` is the line without them. */
export type OutputFlags = { color: boolean | undefined; pager: boolean; rest: string[] }

/** Removes `--color`, `--no-color` and `--no-pager` from a command line: they apply to every command, anywhere before `--`. */
export function takeOutputFlags(argv: readonly string[]): OutputFlags {
  const end = argv.indexOf("--")
  const before = end === -1 ? argv : argv.slice(0, end)
  const color = before.findLast((word) => word === "--color" || word === "--no-color")
  return {
    color: color === undefined ? undefined : color === "--color",
    pager: !before.includes("--no-pager"),
    rest: argv.filter((word, at) => (end !== -1 && at >= end) || !flags.has(word)),
  }
}

const flags = new Set(["--color", "--no-color", "--no-pager"])

/** What decides about colour, from the strongest to the weakest. */
export type ColorSettings = { flag: boolean | undefined; environment: NodeJS.ProcessEnv; isTerminal: boolean }

/** Colour only on a terminal, unless a flag or the environment overrides it. */
export function wantsColor({ flag, environment, isTerminal }: ColorSettings): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment
  if (flag !== undefined) return flag
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false"
  return isTerminal && TERM !== "dumb"
}

const isColorSupported = wantsColor({
  flag: takeOutputFlags(process.argv).color,
  environment: process.env,
  isTerminal: process.stdout.isTTY === true,
})

/**
 * Marks the start of a terminal's own codes until a text is written. No title, name or argument can contain it, because it is different in
 * every process: any other control sequence is not ours, and is dropped. Not from node:crypto, which takes longer to load than an answer.
 */
const mark = `\u001b${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`

/** After the end of a style within another one, the outer one starts again. */
function style(begin: number, end: number): (text: string | number) => string {
  const [on, off] = [`${mark}${begin}m`, `${mark}${end}m`]
  return (text) => (isColorSupported ? `${on}${String(text).replaceAll(off, `${off}${on}`)}${off}` : String(text))
}

export const colors = {
  isColorSupported,
  bold: style(1, 22),
  dim: style(2, 22),
  italic: style(3, 23),
  strikethrough: style(9, 29),
  red: style(31, 39),
  green: style(32, 39),
  yellow: style(33, 39),
  blue: style(34, 39),
  cyan: style(36, 39),
}

/** How many columns a styled line takes. */
export function visibleLength(line: string): number {
  const [plain = "", ...styled] = line.split(mark)
  return styled.reduce((sum, piece) => sum + piece.replace(/^\d+m/, "").length, plain.length)
}

/** A text that is safe for a terminal: with the styles above, without any other control sequences. */
export function forTerminal(text: string): string {
  const [plain = "", ...styled] = text.split(mark)
  const pieces = styled.map((piece) => {
    const code = /^\d+m/.exec(piece)?.[0]
    return code === undefined
      ? removeInvisibleInLines(piece)
      : `\u001b[${code}${removeInvisibleInLines(piece.slice(code.length))}`
  })
  return [removeInvisibleInLines(plain), ...pieces].join("")
}
