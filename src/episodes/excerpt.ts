import { truncate } from "../formats/truncate.ts"
import { detectForbidden } from "../governance/detect-forbidden.ts"
import { redactPersonalData } from "../governance/redact.ts"

/** The most that an event keeps of any text, in code points. */
export const longestExcerpt = 200

/** How much is looked at on either side of what is kept, so that a secret which is cut off is still known for one. */
const margin = 240

/**
 * What is at a place of a text, on one line, without secrets and people's addresses: at most `longest` code points. Half a surrogate
 * pair at the end is left out with the rest.
 */
export function excerpt(text: string, start = 0, length = text.length, longest = longestExcerpt): string {
  const from = Math.max(0, start - margin)
  const most = 2 * longest + 2 // characters may take two units, and white space falls together
  const wanted = Math.min(text.length, start + Math.min(length, most))
  const window = text.slice(from, wanted + margin)
  const kept = redact(window, start - from, wanted - from)
  return truncate(onOneLine(kept), longest)
}

/** The window between two places, secrets in it replaced; one that only reaches into it is replaced as well. */
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

/** A stack or a log is no secret, and its lines are what is wanted here; but one of them may hold a secret. */
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

/** Escape sequences of terminals, other control characters, and halves of surrogate pairs. */
const controls =
  /\u001b\[[0-9;?]{0,20}[A-Za-z]|[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]+|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
