import CircleAlert from "lucide-react/icons/circle-alert"
import TriangleAlert from "lucide-react/icons/triangle-alert"
import type { DiagnosticRow } from "../../../src/recall/browse/app-api.ts"

/** What is wrong with the text, by line. */
export function Diagnostics({ diagnostics }: { diagnostics: DiagnosticRow[] }) {
  if (diagnostics.length === 0) return null
  return (
    <ul className="diagnostics" aria-label="Problems">
      {diagnostics.map(({ path, line, code, severity, message }) => (
        <li key={`${line} ${code} ${message}`} className="diagnostic" data-severity={severity}>
          {severity === "error" ? (
            <CircleAlert size={16} aria-label="Error" />
          ) : (
            <TriangleAlert size={16} aria-label="Warning" />
          )}
          <span>
            {message}{" "}
            <span className="diagnostic-place">
              {path}:{line} {code}
            </span>
          </span>
        </li>
      ))}
    </ul>
  )
}
