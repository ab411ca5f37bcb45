import type { DiagnosticRow } from "../../../src/recall/browse/app-api.ts"
import { Diagnostics } from "../detail/diagnostics.tsx"

/** Possible improvements of its format, on demand: none of them prevents accepting it. */
export function Hints({ diagnostics }: { diagnostics: DiagnosticRow[] }) {
  if (diagnostics.length === 0) return null
  return (
    <details className="hints">
      <summary>{diagnostics.length === 1 ? "1 hint" : `${diagnostics.length} hints`} on its form</summary>
      <Diagnostics diagnostics={diagnostics} />
    </details>
  )
}

export function isError({ severity }: DiagnosticRow): boolean {
  return severity === "error"
}
