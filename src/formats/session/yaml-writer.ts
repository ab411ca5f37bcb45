import { isRecord } from "../objects.ts"
/** A value as YAML: the part on the line of its key or dash, and the lines below it, without line ends. */
export type WrittenValue = { inline: string; below: string[] }

/**
 * Strings are quoted, so that every version of YAML reads them as strings; text of several lines becomes a block scalar if that preserves
 * it exactly. `column` is that of the key. With `quoted`, every string stays on one line.
 */
export function writeBehindKey(value: unknown, column: number, quoted = false): WrittenValue {
  if (typeof value === "string") return quoted ? inline(quote(value)) : writeText(value, column + 2)
  if (Array.isArray(value)) {
    if (value.length === 0) return inline("[]")
    return { inline: "", below: value.flatMap((item) => writeItem(item, column + 2, quoted)) }
  }
  if (!isRecord(value)) return inline(writeSimple(value))
  const pairs = entriesOf(value)
  if (pairs.length === 0) return inline("{}")
  return { inline: "", below: pairs.flatMap(([key, member]) => writePair(key, member, column + 2, quoted)) }
}

/** A map begins on the line of its dash; a list does not, so that its first item can be removed like any other. */
export function writeBehindDash(value: unknown, column: number, quoted = false): WrittenValue {
  const written = writeBehindKey(value, column, quoted)
  const [first, ...rest] = written.below
  return isRecord(value) && first !== undefined ? { inline: first.trimStart(), below: rest } : written
}

export function writePair(key: string, value: unknown, column: number, quoted = false): string[] {
  const name = writeKey(key)
  const written = writeBehindKey(value, column, quoted)
  if (name.length <= longestKey) return withHead(indented(`${name}:`, column), written)
  return [indented(`? ${name}`, column), ...withHead(indented(":", column), written)]
}

export function writeItem(value: unknown, column: number, quoted = false): string[] {
  return withHead(indented("-", column), writeBehindDash(value, column, quoted))
}

/** On one line, valid anywhere in a text. */
export function writeFlow(value: unknown): string {
  if (typeof value === "string") return quote(value)
  if (Array.isArray(value)) return `[${value.map(writeFlow).join(", ")}]`
  if (!isRecord(value)) return writeSimple(value)
  const pairs = entriesOf(value).map(([key, member]) => {
    const name = writeKey(key)
    return `${name.length > longestKey ? `? ${name} ` : name}: ${writeFlow(member)}`
  })
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`
}

/** YAML's limit for a key that is not marked as one is 1,024 characters. */
const longestKey = 1000
/** Strings that a YAML 1.1 reader would not read as strings. */
const notText = /^(?:y|n|yes|no|on|off|true|false|null)$/i
const plainKey = /^[A-Za-z_][\w-]*$/

function writeKey(key: string): string {
  return plainKey.test(key) && !notText.test(key) ? key : quote(key)
}

function withHead(head: string, { inline, below }: WrittenValue): string[] {
  return [inline === "" ? head : `${head} ${inline}`, ...below]
}

function inline(text: string): WrittenValue {
  return { inline: text, below: [] }
}

function indented(text: string, column: number): string {
  return " ".repeat(column) + text
}

function entriesOf(map: Record<string, unknown>): [string, unknown][] {
  return Object.entries(map).filter(([, value]) => value !== undefined)
}

function writeSimple(value: unknown): string {
  if (value === null || value === undefined) return "null"
  if (typeof value === "boolean") return String(value)
  if (typeof value !== "number") throw new Error(`A session file cannot contain a ${typeof value}.`)
  if (Number.isNaN(value)) return ".nan"
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf"
  return String(value).replace(/^(-?\d+)e/, "$1.0e") // YAML 1.1 takes 1e+21 for a text
}

function writeText(text: string, column: number): WrittenValue {
  let end = text.length
  while (text[end - 1] === "\n") end--
  const lines = text.slice(0, end).split("\n")
  const lineEnds = text.length - end
  const [first = "", last = ""] = [lines[0], lines.at(-1)]
  if (lines.length + lineEnds === 1 || unfitForBlock.test(text) || isBlank(first) || isBlank(last))
    return inline(quote(text))
  const indentation = /^[ \t]/.test(first) ? "2" : ""
  const chomping = lineEnds === 0 ? "-" : lineEnds === 1 ? "" : "+"
  const below = lines.map((line) => (line === "" ? "" : indented(line, column)))
  return {
    inline: `|${indentation}${chomping}`,
    below: [...below, ...new Array<string>(Math.max(lineEnds - 1, 0)).fill("")],
  }
}

function isBlank(line: string): boolean {
  return line.trim() === ""
}

/** Control characters, what some readers take for a line end or a byte order mark, halves of surrogate pairs. */
const unfitForBlock = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/u
const escaped = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/gu
const shortEscapes: Record<string, string> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }

function quote(text: string): string {
  const content = text.replace(escaped, (character) => {
    return shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
  return `"${content}"`
}
