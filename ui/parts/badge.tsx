import type { Row, Status } from "../../src/recall/browse/app-api.ts"

/** What kind of thing it is, in the colour that this kind has everywhere. */
export function TypeBadge({ type }: { type: string }) {
  return (
    <span className="type-badge" data-type={type}>
      {type}
    </span>
  )
}

export function StatusBadge({ status }: { status: Status }) {
  return (
    <span className="status-badge" data-status={status}>
      {status === "in force" ? "active" : status}
    </span>
  )
}

export function SourceBadge({ source }: { source: Row["source"] }) {
  return <span className="source-badge">{source}</span>
}

/** Why an item needs review (conflict, review, stale…), or that it has graduated into the team's memory. */
export function FlagBadge({ flag }: { flag: string }) {
  const shown = flag === "graduated" ? "in team memory" : flag
  return (
    <span className="flag-badge" data-flag={flag}>
      {shown}
    </span>
  )
}
