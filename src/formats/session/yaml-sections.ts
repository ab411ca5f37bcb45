/** Lines that are YAML by themselves, and the blank lines and comments between them and the text above. */
export type YamlChunk = { before: string; text: string }

/** A top-level key with its value; where that is a list in block style, `text` is the line of the key alone. */
export type YamlSection = YamlChunk & { key: string; items?: YamlChunk[] }

/** A text cut at its top-level keys and at the items of their lists; all parts joined are the text. */
export type SectionedYaml = { sections: YamlSection[]; after: string }

/**
 * Splits by indentation alone, which is correct as long as every chunk turns out to be complete YAML: continuation lines must be indented
 * deeper than their key or dash. `undefined` for a text in any other form than plain keys in the first column.
 */
export function cutSections(text: string): SectionedYaml | undefined {
  const marks = markChunks(text)
  if (!marks) return undefined
  const sections: YamlSection[] = []
  const hasOwner = ownsBlankLines(text) // rarely; asked once instead of for every chunk
  let cut = 0
  for (const { start, end, key } of marks) {
    const before = text.slice(cut, start)
    cut = hasOwner && ownsBlankLines(text.slice(start, end)) ? afterBlankLines(text, end) : end
    const chunk = { before, text: text.slice(start, cut) }
    if (key !== undefined) sections.push({ ...chunk, key })
    else {
      const section = sections.at(-1) as YamlSection
      section.items ??= []
      section.items.push(chunk)
    }
  }
  return { sections, after: text.slice(cut) }
}

/** The text of a section with all its items, without the text before it. */
export function joinSection({ text, items = [] }: YamlSection): string {
  return text + items.map((item) => item.before + item.text).join("")
}

export function joinSections({ sections, after }: SectionedYaml): string {
  return sections.map((section) => section.before + joinSection(section)).join("") + after
}

/** The range of a chunk, up to the end of its last line; `key` for a section, none for an item. */
type Mark = { start: number; end: number; key?: string }

function markChunks(text: string): Mark[] | undefined {
  const marks: Mark[] = []
  let current: Mark | undefined
  let column = 0 // of the key or dash of the current chunk
  let list: "unknown" | "yes" | "no" = "no" // whether the current section is one
  let next = 0
  for (let start = text.startsWith("\uFEFF") ? 1 : 0; start < text.length; start = next) {
    next = lineAfter(text, start)
    const { kind, indent } = lineKind(text, start)
    if (kind !== "content") {
      // Below a key without a value it is not clear yet which part a comment belongs to; spaces may be content of a block scalar.
      if (current && indent > column && list !== "unknown") current.end = next
      continue
    }
    const key = indent === 0 ? keyAt(text, start) : undefined
    if (key !== undefined) {
      if (notText.test(key)) return undefined
      list = isEmptyFrom(text, start + key.length + 1) ? "unknown" : "no"
    } else if (isDash(text, start + indent) && (list === "unknown" || (list === "yes" && indent === column))) {
      list = "yes"
    } else {
      if (!current || indent <= column) return undefined
      if (list === "unknown") list = "no"
      current.end = next
      continue
    }
    column = indent
    current = key === undefined ? { start, end: next } : { start, end: next, key }
    marks.push(current)
  }
  return marks.length === 0 ? undefined : marks
}

const keyAtOffset = /([A-Za-z_][\w-]{0,99}):(?=[ \t\r\n]|$)/y
/** Keys that YAML does not read as texts. */
const notText = /^(?:null|true|false)$/i

function keyAt(text: string, at: number): string | undefined {
  keyAtOffset.lastIndex = at
  return keyAtOffset.exec(text)?.[1]
}

function isEmptyFrom(text: string, at: number): boolean {
  const first = at + countSpaces(text, at)
  return isLineEnd(text, first) || (text[first] === "#" && first > at)
}

function isDash(text: string, at: number): boolean {
  return text[at] === "-" && (text[at + 1] === " " || isLineEnd(text, at + 1))
}

// Lines of YAML by their offsets, for splitting and splicing without a parser.

/** Where the next line begins. */
export function lineAfter(text: string, at: number): number {
  const lineFeed = text.indexOf("\n", at)
  return lineFeed === -1 ? text.length : lineFeed + 1
}

/** Where the line of this offset begins. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1
}

export function countSpaces(text: string, at: number): number {
  let end = at
  while (text.charCodeAt(end) === 0x20) end++
  return end - at
}

export function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || text[at] === "\n" || (text[at] === "\r" && text[at + 1] === "\n")
}

/** The kind of the line that begins here: blank, comment or content. */
export function lineKind(text: string, start: number): { kind: "blank" | "comment" | "content"; indent: number } {
  const indent = countSpaces(text, start)
  const kind = isLineEnd(text, start + indent) ? "blank" : text[start + indent] === "#" ? "comment" : "content"
  return { kind, indent }
}

export function afterBlankLines(text: string, from: number): number {
  let at = from
  while (at < text.length && lineKind(text, at).kind === "blank") at = lineAfter(text, at)
  return at
}

/** Behind the last comment, or line of spaces, below that is deeper than `column`; other comments and content end the search. */
export function afterDeepLines(text: string, from: number, column: number): number {
  let end = from
  for (let at = from; at < text.length; at = lineAfter(text, at)) {
    const { kind, indent } = lineKind(text, at)
    if (indent > column && kind !== "content") end = lineAfter(text, at)
    else if (kind !== "blank") break
  }
  return end
}

/** Whether blank lines behind this text may belong to a value in it: a block scalar with `+` keeps them. */
export function ownsBlankLines(text: string): boolean {
  return /[|>][1-9]?\+/.test(text)
}
