import { kind, type PrefilterMatch } from "./rule-prefilter.ts"

/** A part of a text read in another way: decoded, joined or turned round. `places` leads back to the original. */
export type View = { text: string; starts: Int32Array; ends: Int32Array }

type Edit = { start: number; end: number; put: string }

/**
 * The parts of a text in which a secret may hide, decoded and joined: without invisible characters, with escapes and encodings decoded,
 * with pieces joined. Only parts that need decoding are copied.
 */
export function hiddenViews(text: string, { kinds, runs }: PrefilterMatch): View[] {
  return [
    ...applyEdits(text, unmaskingEdits(text, kinds)),
    ...applyEdits(text, joiningEdits(text, kinds)),
    ...decodedViews(text, runs),
  ]
}

/** Text around an edit that goes with it, so that the name of a value is seen with the value. */
const margin = 240

/** Applies the edits, each group of neighbours with the text around it as a separate view. */
function applyEdits(text: string, edits: readonly Edit[]): View[] {
  const views: View[] = []
  for (let first = 0; first < edits.length; ) {
    let last = first
    while (last + 1 < edits.length && (edits[last + 1]?.start ?? 0) - (edits[last]?.end ?? 0) < 2 * margin) last++
    const group = edits.slice(first, last + 1)
    const from = Math.max(0, (group[0]?.start ?? 0) - margin)
    const to = Math.min(text.length, (group.at(-1)?.end ?? 0) + margin)
    views.push(viewOf(text, from, to, group))
    first = last + 1
  }
  return views
}

function viewOf(text: string, from: number, to: number, edits: readonly Edit[]): View {
  const parts: string[] = []
  const size = to - from + edits.reduce((sum, { put }) => sum + put.length, 0)
  const starts = new Int32Array(size)
  const ends = new Int32Array(size)
  let length = 0
  let at = from
  const keep = (until: number) => {
    parts.push(text.slice(at, until))
    for (; at < until; at++, length++) {
      starts[length] = at
      ends[length] = at + 1
    }
  }
  for (const { start, end, put } of edits) {
    keep(start)
    parts.push(put)
    // Letter for letter if the counts match; otherwise the whole source range maps to each.
    const isEven = put.length === end - start
    for (let nth = 0; nth < put.length; nth++, length++) {
      starts[length] = isEven ? start + nth : start
      ends[length] = isEven ? start + nth + 1 : end
    }
    at = end
  }
  keep(to)
  return { text: parts.join(""), starts, ends }
}

/** Invisible characters, and letters in other forms. */
const masked = new RegExp(
  [
    "\\u001b\\[[0-9;?]{0,20}[A-Za-z]", // what steers a terminal
    "[\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\p{Cs}]{1,200}",
    "[\\u00aa\\u00b2\\u00b3\\u00b9\\u00ba\\u2070-\\u209c\\u2460-\\u24ff\\uff01-\\uff5e\\ufe50-\\ufe6b]{1,200}",
    "[\\u{1d400}-\\u{1d7ff}\\u{1f110}-\\u{1f189}]{1,200}",
    "(?<=[A-Za-z0-9_])[\\u2010\\u2011\\u2212\\u0391-\\u03c9\\u0400-\\u04ff]|[\\u0391-\\u03c9\\u0400-\\u04ff](?=[A-Za-z0-9_])", // look-alikes
  ].join("|"),
  "gu",
)
const percents = /(?:%[0-9A-Fa-f]{2}){1,200}/g
const escapes = /\\(?:u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|[01][0-7]{2})/g
const entity = /&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[a-zA-Z]{2,14});/g

function unmaskingEdits(text: string, kinds: number): Edit[] {
  const edits: Edit[] = []
  const undo = (pattern: RegExp) => {
    for (const { 0: written, index: start } of text.matchAll(pattern)) {
      const put = unmasked(written)
      if (put !== written) edits.push({ start, end: start + written.length, put })
    }
  }
  if (kinds & kind.masked) undo(masked)
  if (kinds & kind.percent) undo(percents)
  if (kinds & kind.backslash) undo(escapes)
  if (kinds & kind.ampersand) undo(entity)
  return edits.sort((one, other) => one.start - other.start)
}

function unmasked(written: string): string {
  if (written.startsWith("%")) return decodePercent(written)
  if (written.startsWith("\\")) {
    const digits = written.replace(/[^0-9A-Fa-f]/g, "")
    return character(/^\\\d/.test(written) ? Number.parseInt(digits, 8) : Number.parseInt(digits, 16))
  }
  if (written.startsWith("&")) return decodeEntity(written)
  if (written.startsWith("\u001b")) return ""
  const plain = lookAlikes[written] ?? written.normalize("NFKC")
  return plain === written && /^[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\p{Cc}\p{Cs}]/u.test(written) ? "" : plain
}

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : ""
}

function decodePercent(written: string): string {
  const bytes = Buffer.from(written.replaceAll("%", ""), "hex")
  return bytes.every((byte) => byte < 128) ? bytes.toString("latin1") : bytes.toString("utf8")
}

function decodeEntity(written: string): string {
  const number = /^&#([xX]?)([0-9A-Fa-f]+);$/.exec(written)
  if (number) return character(Number.parseInt(number[2] ?? "", number[1] ? 16 : 10))
  return entities[written.slice(1, -1).toLowerCase()] ?? written
}

const entities: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  shy: "",
  lowbar: "_",
  hyphen: "-",
  dash: "-",
  colon: ":",
  equals: "=",
  sol: "/",
  period: ".",
  plus: "+",
  num: "#",
  commat: "@",
  zerowidthspace: "",
}

/** Letters of other alphabets, and hyphens, that look like ASCII. */
const lookAlikes: Record<string, string> = Object.fromEntries(
  [..."‐-‑-−-аaеeоoрpсcуyхxіiјjѕsԁdһhАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXοo"]
    .join("")
    .match(/../gu)
    ?.map((pair) => [...pair]) ?? [],
)

/** `"abc" + "def"`, `'abc' . 'def'`, `"abc" "def"`, and the quotes inside a shell's word. */
const concatenation =
  /["'`][ \t]{0,40}(?:\\?\r?\n[ \t]{0,80})?(?:\+|\.{1,2}|&|\|\||\+\+)?(?:[ \t]{0,40}\\?\r?\n)?[ \t]{0,80}[fbrFBR]?["'`]/g
const listed = /["'`][ \t]{0,10},[ \t]{0,10}(?:\r?\n[ \t]{0,80})?["'`]/g
function joiningEdits(text: string, kinds: number): Edit[] {
  const edits: Edit[] = []
  const cut = (start: number, end: number) => edits.push({ start, end, put: "" })
  if (kinds & kind.quote) {
    for (const { 0: written, index } of text.matchAll(concatenation)) cut(index, index + written.length)
    if (["join", "concat", "implode"].some((word) => text.includes(word)))
      for (const { 0: written, index } of text.matchAll(listed)) cut(index, index + written.length)
  }
  if (kinds & kind.lineFeed)
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) joinLines(text, at, at + 1, cut)
  if (kinds & kind.backslash)
    for (let at = text.indexOf("\\n"); at !== -1; at = text.indexOf("\\n", at + 1)) joinLines(text, at, at + 2, cut)
  if (kinds & kind.spaced)
    for (const { 0: written, index } of text.matchAll(spaced))
      for (let at = index + 1; at < index + written.length; at += 2) cut(at, at + 1)
  return withoutOverlap(edits)
}

/** Single characters with spaces between them: `g h p _ …`. */
const spaced = /(?<![^\s"'`(])(?:[A-Za-z0-9_+/=.-] ){15,400}[A-Za-z0-9_+/=.-](?![^\s"'`),.;])/g

/** Removes a line break inside a token, with the indent, a quote or comment marker, and a backslash before it. */
function joinLines(text: string, end: number, start: number, cut: (start: number, end: number) => void): void {
  let tailEnd = end
  while (tailEnd > end - 20 && isGap(text.charCodeAt(tailEnd - 1))) tailEnd--
  if (!isTokenCode(text.charCodeAt(tailEnd - 1))) return
  lineStart.lastIndex = start
  const headStart = start + (lineStart.exec(text)?.[0].length ?? 0)
  if (!isTokenCode(text.charCodeAt(headStart))) return
  let tailStart = tailEnd - 1
  while (tailStart > 0 && tailStart > tailEnd - 80 && isTokenCode(text.charCodeAt(tailStart - 1))) tailStart--
  const tail = text.slice(tailStart, tailEnd)
  const head = /^[A-Za-z0-9_+/=-]{4,80}/.exec(text.slice(headStart, headStart + 80))?.[0] ?? ""
  if (head !== "" && ((isOdd(tail) && (isOdd(head) || tail.length >= 8)) || (isOdd(head) && head.length >= 12)))
    cut(tailEnd, headStart)
}

/** Blanks and a backslash. */
function isGap(code: number): boolean {
  return code === 32 || code === 9 || code === 13 || code === 92
}

/** Letters, digits and `+ - . / = _`. */
function isTokenCode(code: number): boolean {
  const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
  return isLetter || (code >= 45 && code <= 57) || code === 43 || code === 61 || code === 95
}

const lineStart = /[ \t]{0,80}(?:[>|#*]|\/\/)?[ \t]{0,20}/y

function isOdd(run: string): boolean {
  return /\d[A-Za-z]|[A-Za-z]\d|_|[a-z][A-Z]|^[A-Z]{2,}$|[A-Za-z]-$|[+/=]./.test(run)
}

function withoutOverlap(edits: Edit[]): Edit[] {
  let end = 0
  return edits
    .sort((one, other) => one.start - other.start)
    .filter((edit) => {
      const kept = edit.start >= end
      if (kept) end = edit.end
      return kept
    })
}

const encoded = /[A-Za-z0-9+/_-]{24,}={0,2}/g
const hexadecimal = /^(?:0x)?(?:[0-9a-f]{32,}|[0-9A-F]{32,})$/

/** Runs that are text in base64 or hexadecimal. The whole run is reported for anything found in it. */
function decodedViews(text: string, runs: readonly number[]): View[] {
  const views: View[] = []
  for (const { run, start } of runsOf(text, runs)) {
    for (const { 0: written, index } of run.matchAll(encoded)) {
      const decoded = decodeHex(written) ?? decodeBase64(written)
      if (decoded === undefined) continue
      const starts = new Int32Array(decoded.length).fill(start + index)
      const ends = new Int32Array(decoded.length).fill(start + index + written.length)
      views.push({ text: decoded, starts, ends })
    }
  }
  return views
}

function runsOf(text: string, runs: readonly number[]): { run: string; start: number }[] {
  const list: { run: string; start: number }[] = []
  for (let nth = 0; nth < runs.length; nth += 2) {
    const start = runs[nth] as number
    list.push({ run: text.slice(start, runs[nth + 1]), start })
  }
  return list
}

function decodeHex(run: string): string | undefined {
  if (!hexadecimal.test(run)) return undefined
  const digits = run.replace(/^0x/, "")
  return readable(Buffer.from(digits.slice(0, 16), "hex")) === undefined
    ? undefined
    : readable(Buffer.from(digits, "hex"))
}

function decodeBase64(run: string): string | undefined {
  if (!startsAsText(run)) return undefined
  return readable(Buffer.from(run, "base64"))
}

/** Whether the first six bytes may be text: most runs are paths and names, and are left at once. */
function startsAsText(run: string): boolean {
  for (let at = 0; at < 8; at += 4) {
    const two = bitsAt(run, at + 1)
    const three = bitsAt(run, at + 2)
    if (!isText((bitsAt(run, at) << 2) | (two >> 4))) return false
    if (!isText(((two & 15) << 4) | (three >> 2)) || !isText(((three & 3) << 6) | bitsAt(run, at + 3))) return false
  }
  return true
}

function bitsAt(run: string, at: number): number {
  return sixBits[run.charCodeAt(at)] as number
}

function isText(byte: number): boolean {
  return byte >= 32 ? byte !== 127 : byte === 0 || byte === 9 || byte === 10 || byte === 13
}

const sixBits = new Uint8Array(128)
for (const [value, character] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries())
  sixBits[character.charCodeAt(0)] = value
sixBits["-".charCodeAt(0)] = 62
sixBits["_".charCodeAt(0)] = 63

/** Bytes as text, or undefined when they are none: a control character, or no UTF-8 (the end may be cut off). */
function readable(bytes: Buffer): string | undefined {
  const isWide = bytes.length >= 8 && bytes[1] === 0 && bytes[3] === 0 && bytes[5] === 0
  const text = bytes.toString(isWide ? "utf16le" : "utf8")
  return /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\ufffd(?!$)/.test(text) ? undefined : text
}
