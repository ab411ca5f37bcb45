import { formatNumber, quantity } from "../../parts/format-number.ts"
import { describeSpan, type Span } from "../../parts/span/span.ts"
import type { SpanCounts } from "./count-span.ts"

type Properties = { counts: SpanCounts; span: Span | null; undated: number }

/** What is shown, in a sentence. */
export function SpanSummary({ counts, span, undated }: Properties) {
  const missing = undated > 0 ? ` ${quantity(undated, "more has", "more have")} no date and cannot be shown here.` : ""
  return (
    <p className="span-summary" aria-live="polite">
      <span className="for-readers">{`${span ? describeSpan(span) : "all time"}: `}</span>
      <strong>{quantity(counts.items, "item")}</strong>
      {`, ${formatNumber(counts.decisionsPerWeek)} decisions per week.${missing}`}
    </p>
  )
}
