import { writeError, writeJson, writeOut } from "./write-out.ts"

/** Options that every command has. */
export type CommonOptions = { root?: string; json?: boolean }

/** Prints the JSON document when it was asked for, else the text. */
export function print(options: CommonOptions, document: () => unknown, text: () => string): void {
  if (options.json) writeJson(document())
  else {
    const output = text()
    if (output !== "") writeOut(output.endsWith("\n") ? output : `${output}\n`)
  }
}

/** A sentence for the person, beside whatever goes to stdout. */
export function tell(message: string): void {
  writeError(`${message}\n`)
}

/** `1 entry`, `2,000 entries`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`
}

/** Not toLocaleString: loading its tables costs more than a whole query. */
export function formatNumber(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",")
}
