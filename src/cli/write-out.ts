import { spawnSync } from "node:child_process"
import { stripVTControlCharacters } from "node:util"
import { takeOutputFlags } from "./output-flags.ts"

/** Writes a text to stdout; one that is longer than the terminal goes through the reader's pager. */
export function writeOut(text: string): void {
  const { isTTY, rows, columns } = process.stdout
  const isLong = isTTY === true && linesOnScreen(text, columns) >= rows
  const pager = isLong ? choosePager(process.env, takeOutputFlags(process.argv).pager) : undefined
  if (pager === undefined || !page(pager, text)) process.stdout.write(text)
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
