import type { TimelineAnswer } from "../../../src/recall/browse/app-api.ts"
import { formatNumber } from "../../parts/format-number.ts"
import type { SpanCounts } from "./count-span.ts"

const mostWeeks = 60

/** What the charts show, in figures: week by week, or month by month where that would be too long. */
export function TimelineTable({ counts }: { counts: SpanCounts }) {
  const isByMonth = counts.weeks.length > mostWeeks
  const rows = isByMonth ? inMonths(counts.weeks) : counts.weeks
  return (
    <details className="timeline-table">
      <summary>Show as a table</summary>
      <table className="figures-table">
        <thead>
          <tr>
            <th scope="col">{isByMonth ? "Month" : "Week of"}</th>
            <th scope="col">Items added</th>
            <th scope="col">Decisions</th>
            <th scope="col">Total items</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ start, added, decisions, total }) => (
            <tr key={start}>
              <th scope="row">{(isByMonth ? month : date).format(start)}</th>
              <td>{formatNumber(added)}</td>
              <td>{formatNumber(decisions)}</td>
              <td>{formatNumber(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

type Weeks = TimelineAnswer["weeks"]

/** A week counts in the month in which it begins. */
function inMonths(weeks: Weeks): Weeks {
  const months = new Map<string, Weeks[number]>()
  for (const { start, added, decisions, total } of weeks) {
    const name = month.format(start)
    const known = months.get(name) ?? { start, added: 0, decisions: 0, total }
    months.set(name, { ...known, added: known.added + added, decisions: known.decisions + decisions, total })
  }
  return [...months.values()]
}

const month = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" })
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
