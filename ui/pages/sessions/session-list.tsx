import { Fragment } from "react"
import { Link } from "wouter"
import type { SessionRow } from "../../../src/recall/browse/app-api.ts"
import { Time } from "../../parts/time.tsx"
import { SessionStatus } from "./session-status.tsx"

type Properties = {
  sessions: SessionRow[]
  shown: string | null
  /** Where the list stays visible, a viewed session does not add a step to the browser's history. */
  staysInSight: boolean
  onOpen: () => void
}

export function SessionList({ sessions, shown, staysInSight, onOpen }: Properties) {
  const groups = [
    { title: "Running", rows: sessions.filter(({ isActive }) => isActive) },
    { title: "Past", rows: sessions.filter(({ isActive }) => !isActive) },
  ]
  return (
    <nav aria-label="Sessions">
      {groups.map(({ title, rows }) =>
        rows.length === 0 ? null : (
          <Fragment key={title}>
            <h2 className="list-group">
              {title} <span className="list-group-count">{rows.length}</span>
            </h2>
            <ul>
              {rows.map((row) => (
                <li key={row.id}>
                  <Link
                    href={sessionHref(row.id)}
                    replace={staysInSight}
                    onClick={onOpen}
                    className="item-row list-row"
                    aria-current={row.id === shown ? "true" : undefined}
                    data-row={row.id}
                  >
                    <RowContent row={row} />
                  </Link>
                </li>
              ))}
            </ul>
          </Fragment>
        ),
      )}
    </nav>
  )
}

export function sessionHref(id: string): string {
  return `/sessions/${encodeURIComponent(id)}`
}

function RowContent({ row }: { row: SessionRow }) {
  return (
    <>
      <span className="item-row-title">{row.task || row.id}</span>
      <span className="item-row-snippet">{row.problem ?? tellCounts(row)}</span>
      <span className="item-row-foot">
        <SessionStatus status={row.status} />
        <span className="item-row-author">{row.agents.join(", ")}</span>
        {row.startedAt ? <Time at={row.startedAt} /> : null}
      </span>
    </>
  )
}

function tellCounts({ counts: { attempts, failed, discoveries, decisions } }: SessionRow): string {
  const parts = [
    `${attempts} tried${failed > 0 ? ` (${failed} failed)` : ""}`,
    `${discoveries} discovered`,
    `${decisions} decided`,
  ]
  return parts.join(", ")
}
