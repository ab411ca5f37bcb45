import type { EvidenceRow } from "../../../src/recall/browse/app-api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Time } from "../../parts/time.tsx"

export function EvidenceList({ evidence }: { evidence: EvidenceRow[] }) {
  if (evidence.length === 0)
    return <EmptyState title="No evidence recorded." hint="It was written by hand, not learned from a transcript." />
  return (
    <ul className="evidence">
      {evidence.map(({ kind, quote, at, from, trust }) => (
        <li key={`${from} ${quote}`}>
          <blockquote className="evidence-quote">{quote}</blockquote>
          <p className="evidence-facts">
            <strong>{kind}</strong> <span>{trust}</span> {from ? <code>{from}</code> : null}{" "}
            {at === null ? null : <Time at={at} />}
          </p>
        </li>
      ))}
    </ul>
  )
}
