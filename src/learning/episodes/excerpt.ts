import { truncate } from "../../formats/text.ts"
import { detectForbidden } from "../../governance/detect-forbidden.ts"
import { redactPersonalData } from "../../governance/redaction.ts"

/** The maximum length of any text stored in an event, in code points. */
export const longestExcerpt = 200

/** How much context is scanned on either side, so that a truncated secret is still recognised. */
const margin = 240

/**
 * The passage at an offset on one line, without secrets and e-mail addresses: at most `longest` code points. A split
 * surrogate pair at the end is dropped.
 */
export function excerpt(text: string, start = 0, length = text.length, longest = longestExcerpt): string {
  const from = Math.max(0, start - margin)
  const most = 2 * longest + 2 // characters may take two units, and white space is collapsed
  const wanted = Math.min(text.length, start + Math.min(length, most))
  const window = text.slice(from, wanted + margin)
  const kept = redact(window, start - from, wanted - from)
  return truncate(onOneLine(kept), longest)
}

/** The most of a user's message that is stored, in code points. */
const longestWords = 4000

/** The most of a message that is searched for secrets and words, in UTF-16 units. */
const longestMessage = 100_000

/**
 * The user's whole message with its line breaks, without secrets and e-mail addresses. What `select` leaves out is cut
 * after secrets were found, because half of a secret is not recognised. It must keep the place of each line.
 */
export function wholeWords(message: string, select: (text: string) => string = (text) => text): string {
  let text = message.slice(0, longestMessage)
  for (const { start, end } of findSecrets(text))
    text = text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, hidden) + text.slice(end)
  const cut = select(text).slice(0, 2 * longestWords)
  const lines = redactPersonalData(cut.replace(hiddenRun, "[redacted]")).text.split("\n")
  return truncate(
    lines
      .map(onOneLine)
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
    longestWords,
  )
}

const hidden = "\u0001"
const hiddenRun = /\u0001+(?:\s+\u0001+)*/g

/** The window between two offsets with secrets replaced, including those that only overlap it. */
function redact(window: string, start: number, end: number): string {
  let redacted = ""
  let at = start
  for (const finding of findSecrets(window)) {
    if (finding.end <= at || finding.start >= end) continue
    redacted += `${window.slice(at, Math.max(at, finding.start))}[redacted]`
    at = finding.end
  }
  return redactPersonalData(redacted + window.slice(at, Math.max(at, end))).text
}

/** A stack trace or log is not a secret, and its lines are wanted here; but a line may contain a secret. */
function findSecrets(window: string): Span[] {
  return detectForbidden(window).flatMap((finding) =>
    finding.reason === "raw diagnostic payload" ? findInLines(window, finding) : [finding],
  )
}

type Span = { start: number; end: number }

function findInLines(window: string, { start, end }: Span): Span[] {
  const spans: Span[] = []
  for (let at = start; at < end; ) {
    const lineEnd = window.indexOf("\n", at) === -1 ? end : Math.min(end, window.indexOf("\n", at))
    for (const found of detectForbidden(window.slice(at, lineEnd)))
      spans.push({ start: at + found.start, end: at + found.end })
    at = lineEnd + 1
  }
  return spans
}

function onOneLine(text: string): string {
  return text.replace(controls, " ").replace(/ {2,}/g, " ").trim()
}

/** Terminal escape sequences, other control characters, and halves of surrogate pairs. */
const controls =
  /\u001b\[[0-9;?]{0,20}[A-Za-z]|[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]+|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** A file's path for memories: relative to the project's root, with slashes; the home folder outside of it as `~`. */
export function placePath(path: string, root: string | undefined): string {
  const written = slashed(path.trim())
  const below = root === undefined ? undefined : belowRoot(written, slashed(root))
  return below ?? written.replace(home, "~").replace(/^\.\//, "")
}

/** A command line or message without the project's root and home folders spelled out. */
export function placePaths(text: string, root: string | undefined): string {
  let placed = text
  if (root !== undefined && root.length > 3 && placed.includes(root)) {
    placed = placed.replaceAll(`${root}/`, "").replaceAll(`${root}\\`, "")
    if (placed.includes(root)) placed = placed.replaceAll(new RegExp(`${escaped(root)}(?![\\w.-])`, "g"), ".")
  }
  return placed.replace(homes, "~")
}

function slashed(path: string): string {
  return path.includes("\\") ? path.replaceAll("\\", "/") : path
}

function belowRoot(path: string, root: string): string | undefined {
  const top = root.endsWith("/") ? root.slice(0, -1) : root
  const isDrive = /^[a-z]:/i.test(top)
  const begins = isDrive ? path.slice(0, top.length).toLowerCase() === top.toLowerCase() : path.startsWith(top)
  if (!begins) return undefined
  if (path.length === top.length) return "."
  return path.charAt(top.length) === "/" ? path.slice(top.length + 1) : undefined
}

const home = /^(?:[A-Za-z]:)?\/(?:home|Users)\/[^/\s]{1,64}(?=\/|$)/
const homes = /(?<![\w./\\-])(?:[A-Za-z]:)?[/\\](?:home|Users)[/\\][^/\\\s"'`:;,)]{1,64}(?=[/\\\s"'`:;,)]|$)/g

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
}
