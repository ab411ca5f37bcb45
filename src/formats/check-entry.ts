import { type Diagnostic, type DiagnosticCode, diagnostic } from "./diagnostics.ts"
import { type Entry, lengthOf, relatedTypes, titleLimit } from "./entry.ts"
import { isScope } from "./scope.ts"
import { parseTimestamp } from "./timestamp.ts"

type CheckedField = "header" | "summary" | "related" | "scope" | "expires"

/** What is wrong with an entry, whatever form it came in; `lineOf` tells where a field stands, for those that have lines. */
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
