import { join, relative } from "node:path"
import { exitCode } from "../errors.ts"
import { removeInvisible } from "../formats/text.ts"
import type { ReadProblems } from "../recall/sync/origins.ts"
import { colors, redrawError, visibleLength, writeError, writeJson, writeOut } from "./output.ts"

/** Options that every command has. */
export type CommonOptions = { root?: string; json?: boolean; quiet?: boolean }

/** Prints the JSON document if requested, otherwise the text; with --quiet only `brief`. */
export function print(
  options: CommonOptions,
  document: () => unknown,
  text: () => string,
  brief: () => string = () => "",
): void {
  if (options.json) writeJson(document())
  else {
    const output = options.quiet ? brief() : text()
    if (output !== "") writeOut(output.endsWith("\n") ? output : `${output}\n`)
  }
}

/** A message for the user, separate from stdout. */
export function printNotice(message: string): void {
  writeError(`${message}\n`)
}

/** A path of the repository as the user can open it from where they are. */
export function pathFromHere(path: string, root: string): string {
  const here = relative(process.cwd(), join(root, path))
  return here.split("../").length > 3 ? join(root, path) : here
}

/** A line of a list that fits the terminal: first the text is cut, then its origin. */
export function listLine(lead: string, text: string, origin = ""): string {
  const room = (process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY) - visibleLength(lead) - 1
  const after = origin === "" ? "" : `— ${removeInvisible(origin)}`
  const shown = cutToWidth(removeInvisible(text), Math.max(leastText, room - after.length - 1))
  const left = room - shown.length
  return `${lead} ${shown}${after === "" || left < leastOrigin ? "" : ` ${colors.dim(cutToWidth(after, left - 1))}`}`
}

const leastText = 30
const leastOrigin = 12

function cutToWidth(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1).trimEnd()}…`
}

/** What people call a type of entry. */
export function typeName(type: string): string {
  return type === "directive" ? "rule" : type
}

/** `2026-02-15 14:32`: users expect local time. */
export function localMinute(time: number | string): string {
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16).replace("T", " ")
}

/** `1 entry`, `2,000 entries`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`
}

/** Not toLocaleString: loading its tables costs more than a whole query. */
export function formatNumber(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",")
}

/** Warns about skipped files and conflicts; a possibly incomplete answer ends with exit code 1. */
export function printReadProblems({ unreadable, conflicts }: ReadProblems): void {
  for (const { message } of unreadable) printNotice(`drey: skipped: ${message}`)
  for (const { path, line } of conflicts)
    printNotice(`drey: ${path}:${line} has an unresolved merge conflict; its lines were skipped`)
  if (unreadable.length > 0 || conflicts.length > 0) process.exitCode = exitCode.no
}

const width = 24

/** A progress bar on stderr, drawn only on a terminal and only when the work takes long enough to be noticed. */
export function progressBar(
  label: string,
  unit = "",
): { update: (done: number, total: number) => void; end: () => void } {
  const started = Date.now()
  let drawn = 0
  return {
    update(done, total) {
      const now = Date.now()
      if (!process.stderr.isTTY || now - started < 300 || now - drawn < 80) return
      drawn = now
      const filled = total === 0 ? width : Math.round((done / total) * width)
      redrawError(`${label} ${"█".repeat(filled)}${"░".repeat(width - filled)} ${done}/${total}${unit}`)
    },
    end() {
      if (drawn > 0) redrawError("")
    },
  }
}
