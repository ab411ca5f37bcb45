import CalendarRange from "lucide-react/icons/calendar-range"
import X from "lucide-react/icons/x"
import { describeSpan, spanInQuery, withSpan } from "./span.ts"
import "./span-chip.css"

/** The span of time that a query is limited to, with the way to take it away. */
export function SpanChip({ query, onChange }: { query: string; onChange: (query: string) => void }) {
  const span = spanInQuery(query)
  if (!span) return null
  const text = describeSpan(span)
  return (
    <span className="span-chip">
      <CalendarRange size={12} aria-hidden />
      {text}
      <button
        type="button"
        className="span-chip-remove"
        aria-label={`Remove the span ${text}`}
        onClick={() => onChange(withSpan(query, null))}
      >
        <X size={12} aria-hidden />
      </button>
    </span>
  )
}
