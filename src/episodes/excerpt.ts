import { truncate } from "../formats/truncate.ts"
import { detectForbidden } from "../governance/detect-forbidden.ts"
import { redactPersonalData } from "../governance/redact.ts"

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
