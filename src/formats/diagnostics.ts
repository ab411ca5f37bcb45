import { type Entry, isScope, lengthOf, relatedTypes, titleLimit } from "./entry.ts"
import { parseTimestamp } from "./timestamp.ts"

export type Severity = "error" | "warning" | "info"

/** One thing a reader or the validator noticed; `line` counts from 1. */
export type Diagnostic = {
  code: DiagnosticCode
  severity: Severity
  line: number
  message: string
  entryId?: string
}

/** Every code a reader can report, with its severity without `--strict`. */
export const diagnosticSeverity = {
  "ambiguous-reference": "warning",
  "conflict-marker": "error",
  "cyclic-supersession": "error",
  "dangling-reference": "warning",
  "date-only": "warning",
  "duplicate-field": "warning",
  "fenced-header": "warning",
  "header-field-mismatch": "warning",
  "implausible-date": "warning",
  "implicit-details": "info",
  "invalid-field": "error",
  "legacy-entry": "info",
  "merge-conflict-kept": "error",
  "missing-author": "warning",
  "missing-rationale": "warning",
  "missing-timestamp": "warning",
  "no-date": "warning",
  "summary-too-long": "warning",
  "title-too-long": "warning",
  "unclosed-fence": "warning",
  "unknown-related-type": "warning",
} as const satisfies Record<string, Severity>

export type DiagnosticCode = keyof typeof diagnosticSeverity

export function diagnostic(code: DiagnosticCode, line: number, message: string, severity?: Severity): Diagnostic {
  return { code, severity: severity ?? diagnosticSeverity[code], line, message }
}

type CheckedField = "header" | "summary" | "related" | "scope" | "expires"

/** The problems of an entry, whatever its source format; `lineOf` returns the line of a field, if there are lines. */
export function checkEntry(
  entry: Entry,
  lineOf: (field: CheckedField, index?: number) => number = () => 1,
): Diagnostic[] {
  const found: Diagnostic[] = []
  const report = (code: DiagnosticCode, message: string, line: number) => found.push(diagnostic(code, line, message))
  const titleLength = lengthOf(entry.title)
  const summaryLength = lengthOf(entry.summary)
  if (titleLength > titleLimit)
    report("title-too-long", `The title has ${titleLength} characters; the limit is ${titleLimit}.`, lineOf("header"))
  if (summaryLength > titleLimit && entry.summary !== entry.title) {
    report(
      "summary-too-long",
      `The summary has ${summaryLength} characters; the limit is ${titleLimit}.`,
      lineOf("summary"),
    )
  }
  if (!isScope(entry.scope))
    report(
      "invalid-field",
      `"${entry.scope}" is not a scope: team, project, agent:<name> or skill:<name>.`,
      lineOf("scope"),
    )
  if (!parseTimestamp(entry.timestamp))
    report("invalid-field", `"${entry.timestamp}" is not a timestamp.`, lineOf("header"))
  if (entry.expires !== undefined && !parseTimestamp(entry.expires))
    report("invalid-field", `"${entry.expires}" is not a timestamp.`, lineOf("expires"))
  for (const [index, { type }] of entry.related.entries()) {
    if ((relatedTypes as readonly string[]).includes(type)) continue
    report("unknown-related-type", `"${type}" is not a known reference type; it was kept.`, lineOf("related", index))
  }
  if (!entry.rationale && (entry.type === "decision" || entry.type === "directive")) {
    const severity = entry.type === "decision" ? "warning" : "info"
    found.push(
      diagnostic(
        "missing-rationale",
        lineOf("header"),
        `The ${entry.type} "${entry.title}" has no rationale.`,
        severity,
      ),
    )
  }
  return found
}
