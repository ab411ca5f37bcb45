import { DreyError } from "../errors.ts"

/**
 * Reads JSON from a file. An error names only the position: the parser's own message quotes the text, which may contain anything.
 * `firstLine` is the line in the file at which the text begins.
 */
export function parseJson(text: string, name: string, firstLine = 1): unknown {
  const json = text.replace(/^\uFEFF/, "")
  try {
    return JSON.parse(json)
  } catch {
    const { line, column } = findJsonBreak(json)
    throw new DreyError(`${name}:${firstLine + line - 1}:${column} is not JSON`)
  }
}

/** Where a text stops being JSON; its end when something is missing there. */
export function findJsonBreak(text: string): { line: number; column: number } {
  const before = text.slice(0, breakOffset(text)).split("\n")
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 }
}

const token =
  /([{}[\],:])|("[ !#-[\]-\u{10FFFF}]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\u{10FFFF}]*)*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy

/** The expected next token is a list of characters: punctuation for itself, `s` for a string, `v` for another plain value. */
const aValue = "{[sv"

function breakOffset(text: string): number {
  const closers: string[] = []
  let expected = aValue
  for (let at = skipBlanks(text, 0); ; at = skipBlanks(text, token.lastIndex)) {
    token.lastIndex = at
    const match = token.exec(text)
    const sign = match?.[1] ?? (match?.[2] === undefined ? "v" : "s")
    if (!match || !expected.includes(sign)) return at
    const isKey = sign === "s" && !expected.includes("v")
    if (sign === "{" || sign === "[") closers.push(sign === "{" ? "}" : "]")
    if (sign === "}" || sign === "]") closers.pop()
    const closer = closers.at(-1)
    if (isKey) expected = ":"
    else if (sign === "{") expected = "s}"
    else if (sign === "[") expected = `${aValue}]`
    else if (sign === ":") expected = aValue
    else if (sign === ",") expected = closer === "}" ? "s" : aValue
    else expected = closer === undefined ? "" : `,${closer}`
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (" \t\r\n".includes(text.charAt(at) || "x")) at++
  return at
}
