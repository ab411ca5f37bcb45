import { Link } from "wouter"
import type { Audit } from "../../../src/recall/browse/app-api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { itemHref } from "../../parts/item-href.ts"
import { Time } from "../../parts/time.tsx"

/** What was done, the newest first. */
export function AuditRecords({ records }: { records: Audit["records"] }) {
  if (records.length === 0)
    return <EmptyState title="No matching records." hint="Remove a filter or try another word." />
  return (
    <div className="panel audit-panel">
      <table className="audit-table">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">When</th>
            <th scope="col">Done</th>
            <th scope="col">By</th>
            <th scope="col">What and why</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={record.line}>
              <td className="audit-line">{record.line}</td>
              <td>
                <Time at={record.at} />
              </td>
              <td>
                <span className="audit-action" data-action={record.action}>
                  {record.action}
                </span>
              </td>
              <td className="audit-actor">{record.actor ?? "unknown"}</td>
              <td className="audit-what">
                <What record={record} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function What({ record: { id, class: kind, title, path, reason } }: { record: Audit["records"][number] }) {
  return (
    <>
      <span className="audit-title">
        {title ?? reason ?? ""}
        {kind ? <span className="audit-class">{kind}</span> : null}
      </span>
      {title && reason ? <span className="audit-reason">{reason}</span> : null}
      {id ? (
        <Link className="audit-reason" href={itemHref(id)}>
          {id}
        </Link>
      ) : null}
      {path ? <code className="audit-reason">{path}</code> : null}
    </>
  )
}
