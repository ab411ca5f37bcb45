export type Severity = "error" | "warning" | "info"

/** One thing a reader or the validator noticed; `line` counts from 1. */
export type Diagnostic = {
  code: DiagnosticCode
  severity: Severity
  line: number
  message: string
  entryId?: string
}

/** Every code a reader can report, with how bad it is when nobody asks for `--strict`. */
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
