import type { Diagnostic } from "../../../src/web/api.ts"
import { Diagnostics } from "../detail/diagnostics.tsx"

/** What could be better about its form, on demand: none of it keeps anybody from accepting it. */
export function Hints({ diagnostics }: { diagnostics: Diagnostic[] }) {
  if (diagnostics.length === 0) return null
  return (
    <details className="hints">
      <summary>{diagnostics.length === 1 ? "1 hint" : `${diagnostics.length} hints`} on its form</summary>
      <Diagnostics diagnostics={diagnostics} />
    </details>
  )
}

export function isError({ severity }: Diagnostic): boolean {
  return severity === "error"
}
