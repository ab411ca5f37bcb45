import { spawnSync } from "node:child_process"
import { stripVTControlCharacters } from "node:util"
import { escapeUnseen } from "../formats/drop-unseen.ts"
import { forTerminal } from "./colors.ts"
import { takeOutputFlags } from "./output-flags.ts"

/*
 * The one place where the command line writes: whatever titles, names, files and arguments hold, nothing reaches the terminal that could
 * steer it.
 */

/** Writes a text to stdout; one that is longer than the terminal goes through the reader's pager, unless it is one of several. */
export function writeOut(text: string, { paged = true }: { paged?: boolean } = {}): void {
  const shown = forTerminal(text)
  const { isTTY, rows, columns } = process.stdout
  const isLong = paged && isTTY === true && linesOnScreen(shown, columns) >= rows
  const pager = isLong ? choosePager(process.env, takeOutputFlags(process.argv).pager) : undefined
  if (pager === undefined || !page(pager, shown)) process.stdout.write(shown)
}

/** Writes a text to stderr, for the person beside whatever goes to stdout. */
export function writeError(text: string): void {
  process.stderr.write(forTerminal(text))
}

/** Draws the last line of stderr again. */
export function redrawError(line: string): void {
  process.stderr.write(`\r\u001b[K${forTerminal(line)}`)
}

/** JSON that means the same to a program and nothing to a terminal. */
export function toJson(document: unknown, indent = 2): string {
  return escapeUnseen(JSON.stringify(document, null, indent))
}

/** Writes one JSON document to stdout. */
export function writeJson(document: unknown, indent?: number): void {
  process.stdout.write(`${toJson(document, indent)}\n`)
}

/** Writes a document for other programs to stdout: byte for byte, except on a terminal. */
export function writeDocument(text: string): void {
  if (process.stdout.isTTY) writeOut(text)
  else process.stdout.write(text)
}

/** `DREY_PAGER`, else `PAGER`, else less; none where that is empty, `cat`, or was not wanted. */
export function choosePager(environment: NodeJS.ProcessEnv, isWanted: boolean): string | undefined {
  const pager = environment.DREY_PAGER ?? environment.PAGER ?? "less"
  return isWanted && environment.TERM !== "dumb" && pager.trim() !== "" && pager.trim() !== "cat" ? pager : undefined
}

/** How many lines of a terminal a text takes. */
export function linesOnScreen(text: string, columns: number): number {
  const lines = stripVTControlCharacters(text.replace(/\n$/, "")).split("\n")
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / Math.max(1, columns))), 0)
}

/** False when there is no such program: the text was not shown. */
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
