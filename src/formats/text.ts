/**
 * Characters that are invisible to users but read by a model: controls, direction marks, invisible and tag characters. A joiner stays
 * between two letters of a script that needs it, and where it joins two emoji into one.
 */
const unseen =
  /(?![\t\n]|(?<=[^\0-\u02ff\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]\ufe0f?)[\u200c\u200d](?=[^\0-\u02ff\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb])|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

/** Line ends of other systems, and the two that only Unicode has. */
const lineEnds = /\r\n|[\u2028\u2029]/g

/** The same for a text of several lines, all of which end as ours do. */
export function removeInvisibleInLines(text: string): string {
  return removeInvisible(text.replace(lineEnds, "\n"))
}

/** Equivalent JSON without characters that could control a terminal: they are escaped. */
export function escapeInvisible(json: string): string {
  return json.replace(unseen, toEscape).replace(/[\u2028\u2029]/g, toEscape)
}

function toEscape(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, "0"))
  return units.map((unit) => `\\u${unit}`).join("")
}

/** Text without what could steer a terminal, or hide in a line. */
export function removeInvisible(text: string): string {
  return text.replace(unseen, "")
}

/** The text, or as many of its first code points as leave room for an ellipsis; never half a character. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text
  const end = endOfCodePoints(text, most)
  return end === text.length ? text : `${text.slice(0, endOfCodePoints(text, most - 1)).trimEnd()}…`
}

/** Where the first so many code points of a text end. */
function endOfCodePoints(text: string, count: number): number {
  let end = 0
  for (let taken = 0; taken < count && end < text.length; taken++) end += isPair(text, end) ? 2 : 1
  return end
}

function isPair(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const next = text.charCodeAt(at + 1)
  return code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000
}

const brackets = "<＜﹤‹⟨〈〈❬❮˂ᐸ"

const joinedBracket = new RegExp(`[\u200c\u200d]*([${brackets}])[\u200c\u200d]*`, "g")

/** Anything that could open a tag: clients and models recognise more of them than any list names. `a < b` is unchanged. */
const tag = new RegExp(
  String.raw`[${brackets}](?=\s*[/／⁄∕|｜!！?？${brackets}]|[_\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]|\s+[\p{L}\w:-]{1,40}\s*[>＞›])`,
  "gu",
)

/** The marks that some models know in square brackets. */
const squareMark = /\[(?=\s*\/?\s*(?:INST|SYS|SYSTEM|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w+)\s*\])/gi

/** Stored text in a context: every line marked as quoted, and nothing in it that closes the wrapper or impersonates another speaker. */
export function quote(text: string): string {
  const lines = defuse(text)
    .replace(/(?<![ \t])[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
    .split("\n")
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n")
}

/** Stored text within one of our lines: a name, a title, a path. */
export function quoteInline(text: string): string {
  return defuse(text).replace(/\s+/g, " ").trim()
}

function defuse(text: string): string {
  return removeInvisible(text.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n"))
    .replace(joinedBracket, "$1")
    .replace(tag, "&lt;")
    .replace(squareMark, "&#91;")
}

/** Code points that a memory's text may have. */
export const longestMemory = 300

/** The sentences of a line. */
export function splitSentences(line: string): string[] {
  return line.split(/(?<=[.!?][)"'’”`*]?) (?=[\p{Lu}\p{N}`"'“*])|(?<=[。！？])/u)
}

/** A memory's text as it may be kept: one line, one or two sentences, not too long; "" when nothing is left. */
export function cleanMemoryText(text: string): string {
  const sentences = splitSentences(toOneLine(text))
  const kept = sentences.slice(0, 2).join(/[。！？]$/.test(sentences[0] ?? "") ? "" : " ")
  return clip(kept, longestMemory)
}

/** The text on one line, without invisible characters. */
export function toOneLine(text: string): string {
  return removeInvisible(text.replace(/\s+/g, " ")).replace(/ {2,}/g, " ").trim()
}

/** The text up to so many code points, ended at a word where there is one near. */
export function clip(text: string, most: number): string {
  const points = [...text]
  if (points.length <= most) return text
  const kept = points.slice(0, most - 1).join("")
  const border = kept.lastIndexOf(" ")
  return `${(border > kept.length / 2 ? kept.slice(0, border) : kept).trimEnd()}…`
}

const longest = 160

/** The first line of a text with content; with the items of the list that it introduces, as far as they fit. */
export function firstInformativeLine(text: string): string {
  const lines = text.split(/\r?\n/).map(toOneLine)
  const first = lines.findIndex((line) => line !== "")
  const label = lines[first] ?? ""
  if (!label.endsWith(":")) return clip(label, longest)
  const items = lines.slice(first + 1).filter((line) => line !== "")
  const end = items.findIndex((line) => !bullet.test(line))
  let told = ""
  for (const item of items.slice(0, end === -1 ? undefined : end).map((line) => line.replace(bullet, ""))) {
    const longer = told === "" ? `${label} ${item}` : `${told}; ${item}`
    if (longer.length > longest) break
    told = longer
  }
  return clip(told || [label, items[0] ?? ""].join(" ").trim(), longest)
}

const bullet = /^(?:[-*+•]|\d{1,3}[.)]) /

/** The most likely candidate for a mistyped word; undefined if none is close. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const typed = word.toLowerCase()
  let nearest: string | undefined
  let least = Math.min(2, Math.max(1, Math.floor(typed.length / 2))) + 1
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase(), least)
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

/** Letters to insert, remove, replace or swap with their neighbour; `limit` means that many or more. */
function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) >= limit) return limit
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1]
      const replaced = (last[column - 1] ?? 0) + (same ? 0 : 1)
      let distance = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced)
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (swapped) distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1)
      current.push(distance)
    }
    beforeLast = last
    last = current
  }
  return last[other.length] ?? 0
}

/**
 * An agent's name as stored in items: `Jane Doe` and `jane-doe` are the same, and so are two encodings of one accent. No name, or one that
 * means everyone, gives undefined.
 */
export function agentKey(name: string | undefined): string | undefined {
  const key = name?.normalize("NFC").trim().replace(/\s+/g, "-").toLowerCase()
  return key === "" || key === "*" ? undefined : key
}

/** The same for sentences that differ in case, punctuation and white space only. */
export function bareWords(sentence: string): string {
  return sentence
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
}

/** Whether a text has the words with which people set rules for all work to come. Many that have them set none. */
export function hasRuleWords(text: string): boolean {
  return /\b(?:always|never|henceforth|going forward|from (?:now|here|today|this point) (?:on|onwards?|forward))\b/i.test(
    text,
  )
}

/** A folder or file of the repository as a memory names it: relative, with slashes, none at its end; undefined for what leaves the repository, a pattern, or nothing. */
export function parsePathPrefix(text: string): string | undefined {
  const written = text.trim().replaceAll("\\", "/")
  if (/^(?:[/~]|[a-z]:)/i.test(written) || /[*?\p{Cc}]/u.test(written)) return undefined
  const parts: string[] = []
  for (const part of written.split("/")) {
    if (part === ".." && parts.pop() === undefined) return undefined
    if (part !== "" && part !== "." && part !== "..") parts.push(part)
  }
  return parts.length === 0 ? undefined : parts.join("/")
}

/** `a, b, c and 4 more`. */
export function nameSome(items: readonly string[], shown = 5): string {
  const more = items.length - shown
  return more > 0 ? `${items.slice(0, shown).join(", ")} and ${more} more` : items.join(", ")
}

/** `1 entry`, `2 entries`. */
export function quantity(number: number, one: string, many = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : many}`
}

/** `20,480`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",")
}

/** Rules that a person wrote for coding agents, by the names that the agents' programs look for. */
export function isRulesFile(path: string): boolean {
  return /(?:^|\/)(?:agents?|claude|gemini|qwen|warp|copilot-instructions|conventions)(?:\.local)?\.md$|(?:^|\/)\.(?:cursorrules|windsurfrules|clinerules|roorules|goosehints|rules)$|(?:^|\/)\.(?:cursor|windsurf|roo|claude|amazonq)\/rules\/.+\.mdc?$|(?:^|\/)\.clinerules\/.+\.md$|(?:^|\/)\.github\/instructions\/.+\.instructions\.md$|(?:^|\/)\.junie\/guidelines\.md$|(?:^|\/)\.kiro\/steering\/.+\.md$/i.test(
    path,
  )
}
