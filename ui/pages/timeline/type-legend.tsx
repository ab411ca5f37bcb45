import { TypeBadge } from "../../parts/badge.tsx"
import { formatNumber } from "../../parts/format-number.ts"
import { sameValue, toggleInQuery, valuesInQuery } from "../../parts/query-field/edit-query.ts"
import type { SpanCounts } from "./count-span.ts"

type Properties = { byType: SpanCounts["byType"]; query: string; onQuery: (query: string) => void }

/** What the colours mean, how many there are of each, and a filter by each. */
export function TypeLegend({ byType, query, onQuery }: Properties) {
  const chosen = valuesInQuery(query, "type")
  return (
    <fieldset className="type-legend" aria-label="Show only these types">
      {byType.map(({ type, count }) => (
        <button
          key={type}
          type="button"
          className="type-toggle"
          aria-pressed={chosen.some((one) => sameValue(one, type))}
          onClick={() => onQuery(toggleInQuery(query, "type", type))}
        >
          <TypeBadge type={type} /> {formatNumber(count)}
        </button>
      ))}
    </fieldset>
  )
}
