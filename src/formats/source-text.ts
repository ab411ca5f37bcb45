/** A file's text cut into lines, with the offset of each, so that any run of lines can be cut out byte for byte. */
export type SourceText = {
  text: string
  /** Without line ends and without a byte order mark. */
  lines: string[]
  /** Offset of each line in `text`, and `text.length` at the end. */
  starts: number[]
}

export function splitLines(text: string): SourceText {
  const lines: string[] = []
  const starts: number[] = []
  let start = 0
  while (start < text.length) {
    let end = text.indexOf("\n", start)
    const next = end === -1 ? text.length : end + 1
    if (end === -1) end = text.length
    const contentStart = start === 0 && text.charCodeAt(0) === 0xfeff ? 1 : start
    const contentEnd = end > contentStart && text.charCodeAt(end - 1) === 0x0d ? end - 1 : end
    starts.push(start)
    lines.push(text.slice(contentStart, contentEnd))
    start = next
  }
  starts.push(text.length)
  return { text, lines, starts }
}

/** The original text of the lines from `first` up to, not including, `end`. */
export function sliceLines(source: SourceText, first: number, end: number): string {
  return source.text.slice(source.starts[first], source.starts[end])
}

/** The line end most lines of the text have; what Drey adds to a file uses the same. */
export function dominantLineEnd(text: string): "\n" | "\r\n" {
  let unix = 0
  let windows = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (text.charCodeAt(at - 1) === 0x0d) windows++
    else unix++
  }
  return windows > unix ? "\r\n" : "\n"
}

/** Blank as Markdown means it: nothing but spaces and tabs. */
export function isBlank(line: string): boolean {
  for (let at = 0; at < line.length; at++) if (!isBlankCode(line.charCodeAt(at))) return false
  return true
}

/** Trims spaces and tabs only, in linear time; other white space is content. */
export function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlankCode(text.charCodeAt(start))) start++
  while (end > start && isBlankCode(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** Drops characters of a class from the end, in linear time: `[…]+$` would start again at every one of them. */
export function trimEndOf(text: string, characters: RegExp): string {
  let end = text.length
  while (end > 0 && characters.test(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Drops blank lines before and after; the lines between are unchanged. */
export function trimBlankLines(lines: readonly string[]): string[] {
  let start = 0
  let end = lines.length
  while (start < end && isBlank(lines[start] ?? "")) start++
  while (end > start && isBlank(lines[end - 1] ?? "")) end--
  return lines.slice(start, end)
}

/** Every run of white space becomes one space, none at the ends: for comparing, not for storing. */
export function collapseWhiteSpace(text: string): string {
  return text.trim().replace(/\s+/g, " ")
}

/** A name as names are compared: without case, and white space counts once. */
export function nameKey(name: string): string {
  return collapseWhiteSpace(name).normalize("NFC").toLowerCase()
}

function isBlankCode(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length
}
