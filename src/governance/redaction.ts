import { lineAt } from "../formats/source-text.ts"
import { detectForbidden, type ForbiddenFinding } from "./detect-forbidden.ts"

type Redacted = { text: string; redactions: number }

/** Replaces people's addresses and numbers with `[email]` and `[phone]`; machines' addresses stay. */
export function redactPersonalData(text: string): Redacted {
  let redactions = 0
  const put = (mark: string) => {
    redactions++
    return mark
  }
  const withoutEmails = text.includes("@")
    ? text.replace(email, (address: string, at: number) =>
        isPersonalAddress(address, text, at) ? put("[email]") : address,
      )
    : text
  const withoutPhones = withoutEmails.replace(number, (digits: string, at: number) =>
    isPhone(digits, withoutEmails.slice(Math.max(0, at - 40), at)) ? put("[phone]") : digits,
  )
  return { text: withoutPhones, redactions }
}

/** Replaces secrets with `[redacted]`. */
export function redactSecrets(text: string): string {
  let redacted = ""
  let at = 0
  for (const { start, end } of detectForbidden(text)) {
    if (end <= at) continue
    redacted += `${text.slice(at, Math.max(at, start))}[redacted]`
    at = end
  }
  return redacted + text.slice(at)
}

const email =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_][\p{L}\p{N}._%+-]{0,63}@[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.[\p{L}\p{N}.-]{0,190}[\p{L}\p{N}]/gu

function isPersonalAddress(address: string, text: string, at: number): boolean {
  const [name = "", domain = ""] = address.split("@")
  if (/^(?:git|no-?reply|do-?not-?reply)$|\bno-?reply\b/i.test(name) || /(?:^|\.)noreply\./i.test(domain)) return false
  if (!/\.\p{L}{2,24}$/u.test(domain) || /^\d+\.\d/.test(domain) || fileName.test(domain)) return false
  const before = text.slice(Math.max(0, at - 130), at)
  const after = text.slice(at + address.length, at + address.length + 100)
  return !/:\/\/[^\s/]{0,120}$/.test(before) && !/^:[\w~.-]{0,60}\/\w/.test(after) // the user of a URL, of an scp path
}

/** `icon@2x.png`, `package@latest.tgz` */
const fileName = /\.(?:png|jpe?g|gif|svg|webp|tgz|gz|js|ts|tsx|mjs|json|html?|css)$/i

const number = /(?<![\p{L}\p{N}_.,:/#=+@$-]|\p{N}[ (])(?:\+\d|\(\d|\d)[\d ().-]{5,20}\d(?![\p{L}\p{N}_:/]|[.,-]\d)/gu

const date = /^\(?(?:19|20)\d\d[ .-]\d\d?[ .-]\d\d?|^\d\d?[ .-]\d\d?[ .-](?:19|20)\d\d/

/** A number is a phone number if it is written internationally, in North American groups, or after a word such as "phone". */
function isPhone(written: string, before: string): boolean {
  const digits = written.replace(/\D/g, "").length
  if (digits > 15 || date.test(written)) return false
  if (/^\+[1-9]/.test(written)) return digits >= 9
  if (/^(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d-)\d{3}-\d{4}$/.test(written)) return true
  return (
    digits >= 7 &&
    /\b(?:phone|tel|telephone|telefon|mobile|cell|fax|whatsapp|sms|call (?:me|us|him|her|them))\b[^\d\n]{0,20}$/i.test(
      before,
    )
  )
}

/**
 * One thing in a text that a shared memory should not contain, by line and rule, never by value. `other` is refused for its content rather
 * than for a value in it: only the user can decide what to replace it with.
 */
export type Sensitive = { line: number; kind: "secret" | "personal data" | "other"; rule: string; reason: string }

/** A finding as the validator reports it. */
export function sensitiveDiagnostic({ line, kind, rule, reason }: Sensitive) {
  const found = `${reason} (rule ${rule})`
  if (kind === "secret") {
    const message = `Contains a secret: ${found}. Remove and revoke it.`
    return { line, code: "forbidden-content", severity: "error" as const, message }
  }
  if (kind === "personal data") {
    const message = `Contains personal data: ${found}. Preview its removal with "drey scrub --dry-run".`
    return { line, code: "personal-data", severity: "warning" as const, message }
  }
  const message = `Not suitable for shared memory: ${found}. Shorten it to what the team needs.`
  return { line, code: "questionable-content", severity: "warning" as const, message }
}

/** Secrets, people's data and other forbidden content in a text, in the order of its lines. */
export function findSensitive(text: string): Sensitive[] {
  const forbidden = detectForbidden(text)
  const found = forbidden.map(
    (each): Sensitive => ({ line: lineAt(text, each.start), kind: kindOf(each), rule: each.rule, reason: each.reason }),
  )
  // Placeholders instead of values, so that a number in a key is not reported as a phone number; line numbers do not change.
  const lines = replaceFindings(text, forbidden.filter(isReplaced), (mark, value) => mark + lineFeedsOf(value)).split(
    "\n",
  )
  for (const [index, line] of lines.entries()) {
    const redacted = redactPersonalData(line)
    if (redacted.redactions === 0) continue
    const emails = occurrences(redacted.text, "[email]") - occurrences(line, "[email]")
    for (let nth = 0; nth < redacted.redactions; nth++) {
      const rule = nth < emails ? "email" : "phone"
      found.push({ line: index + 1, kind: "personal data", rule, reason: "personal data" })
    }
  }
  return found.sort((one, other) => one.line - other.line)
}

/**
 * The same for the names of a path, and the path as it may be shown. A name cannot be replaced by a placeholder: the user has to rename
 * it.
 */
export function findInPath(path: string): { shown: string; found: Sensitive[] } {
  const names = path.split("/").map((name) => ({ name, found: findSensitive(withoutExtension(name)) }))
  return {
    shown: names.map(({ name, found }) => (found.length === 0 ? name : shownName(name))).join("/"),
    found: names.flatMap(({ found }) => found.map((each) => ({ ...each, reason: `${each.reason} in the name` }))),
  }
}

/** The text with every secret and all personal data replaced by a placeholder; `other` content stays. */
export function scrubText(text: string): string {
  return redactPersonalData(replaceFindings(text, detectForbidden(text).filter(isReplaced), (mark) => mark)).text
}

function withoutExtension(name: string): string {
  return name.replace(extension, "")
}

function shownName(name: string): string {
  const scrubbed = scrubText(withoutExtension(name))
  return scrubbed === withoutExtension(name) ? name : `${scrubbed}${extension.exec(name)?.[0] ?? ""}`
}

const extension = /\.(?:md|txt|jsonl?|ya?ml|toml)$/i

const contentReasons = new Set([
  "internal network topology",
  "raw diagnostic payload",
  "transient CI/PR status",
  "private customer data",
  "unreviewed vulnerability disclosure",
])

function kindOf({ reason }: ForbiddenFinding): Sensitive["kind"] {
  if (reason === "PII-like identifier") return "personal data"
  return contentReasons.has(reason) ? "other" : "secret"
}

function isReplaced(finding: ForbiddenFinding): boolean {
  return kindOf(finding) !== "other"
}

function replaceFindings(
  text: string,
  findings: ForbiddenFinding[],
  put: (mark: string, value: string) => string,
): string {
  let replaced = ""
  let from = 0
  for (const finding of findings) {
    const mark = kindOf(finding) === "secret" ? `[secret: ${finding.reason}]` : "[personal identifier]"
    const end = endOf(finding, text)
    replaced += text.slice(from, finding.start) + put(mark, text.slice(finding.start, end))
    from = end
  }
  return replaced + text.slice(from)
}

/** Whether a text contains a placeholder for removed content: the rest may be misleading. */
export function hasRedactionMark(text: string): boolean {
  return /\[(?:secret: |personal identifier\]|(?:email|phone|redacted|withheld)\b)/.test(text)
}

/** A key whose end is missing reaches, for the detector, into the words below it; those are to stay. */
function endOf({ rule, start, end }: ForbiddenFinding, text: string): number {
  const value = text.slice(start, end)
  if (rule !== "pem-private-key" || value.includes("-----END")) return end
  return start + (/^[^\n]*(?:\n[A-Za-z0-9+/=\\]+\r?(?=\n|$))*/.exec(value)?.[0].length ?? value.length)
}

function lineFeedsOf(value: string): string {
  return "\n".repeat(occurrences(value, "\n"))
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1
}

/** A word of the caller's as a message or a log may repeat it. */
export function redactForbidden(text: string): string {
  return detectForbidden(text).length > 0 ? "[withheld]" : text
}
