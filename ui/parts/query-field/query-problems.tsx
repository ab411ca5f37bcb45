import type { CSSProperties } from "react"
import type { Items } from "../../../src/recall/browse/app-api.ts"

/** What is wrong with a query, each under the characters it is about. */
export function QueryProblems({ problems }: { problems: Items["problems"] }) {
  return (
    <div className="query-problems" role="status">
      {problems.map(({ start, end, message }) => (
        <p key={`${start}-${message}`} className="query-problem" style={placeOf(start, end)}>
          <span>{message}</span>
        </p>
      ))}
    </div>
  )
}

function placeOf(start: number, end: number): CSSProperties {
  return { "--start": start, "--length": Math.max(1, end - start) } as CSSProperties
}
