import { lineAt } from "../formats/source-text.ts"
import { removeInvisible } from "../formats/text.ts"
import { detectForbidden, type ForbiddenReason } from "./detect-forbidden.ts"
import { redactPersonalData, scrubText } from "./redaction.ts"

declare const mark: unique symbol

/** Text that may be written to disk or sent to a provider. Only this module creates it, so the governance check cannot be bypassed. */
export type Cleared<T extends string = string> = T & { readonly [mark]: "cleared" }

export type PersonalDataPolicy = "redact" | "reject" | "allow"

export type Clearing =
  | { kind: "cleared"; text: Cleared; redactions: number }
  | { kind: "refused"; reason: ForbiddenReason; line: number }

/** The check for incoming text: secrets are refused, personal addresses redacted. Never reveals the value. */
export function clearText(written: string, personalData: PersonalDataPolicy = "redact"): Clearing {
  const text = withoutUnseen(written)
  for (const version of new Set([written, text])) {
    const [finding] = detectForbidden(version)
    if (finding) return { kind: "refused", reason: finding.reason, line: lineAt(version, finding.start) }
  }
  if (personalData === "allow") return { kind: "cleared", text: text as Cleared, redactions: 0 }
  const redacted = redactPersonalData(text)
  if (redacted.redactions > 0 && personalData === "reject")
    return { kind: "refused", reason: "PII-like identifier", line: 1 }
  return { kind: "cleared", text: redacted.text as Cleared, redactions: redacted.redactions }
}

/**
 * The check for text that is never refused, such as a command's output: every secret and all personal data is replaced by a placeholder.
 */
export function clearWithMarks(text: string): Cleared {
  const scrubbed = scrubText(text)
  const seen = withoutUnseen(scrubbed)
  return (seen === scrubbed ? scrubbed : scrubText(seen)) as Cleared
}

/** The checked text is the stored text: invisible characters could hide a value here and be dropped on output. */
function withoutUnseen(text: string): string {
  return text.includes("\r") ? text.split("\r").map(removeInvisible).join("\r") : removeInvisible(text)
}

/** Text that is already in the store and only moves within it, or is restored from one of Drey's backups. */
export function alreadyStored(text: string): Cleared {
  return text as Cleared
}

/** Text that Drey makes itself out of cleared parts, ids, dates and counts: indexes, manifests, headings. */
export function generated(text: string): Cleared {
  return text as Cleared
}

export function joinCleared(parts: readonly Cleared[], separator = ""): Cleared {
  return parts.join(separator) as Cleared
}
