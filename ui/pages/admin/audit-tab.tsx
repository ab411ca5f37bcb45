import { useInfiniteQuery } from "@tanstack/react-query"
import { teamAuditQuery } from "../../api/team-queries.ts"
import { Button } from "../../parts/button.tsx"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Problem } from "../../parts/problem.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"
import { Time } from "../../parts/time.tsx"
import { AdminTable } from "./admin-table.tsx"

/** Who did what, the newest first; never the content. */
export function AuditTab() {
  const audit = useInfiniteQuery(teamAuditQuery())
  const { data, error, hasNextPage, isFetchingNextPage } = audit
  if (!data) return error ? <Problem error={error} onRetry={() => audit.refetch()} /> : <Skeleton lines={8} />
  const records = data.pages.flatMap((page) => page.records)
  if (records.length === 0) return <EmptyState title="No audit records yet." />
  return (
    <div className="admin-tab">
      <AdminTable
        label="Audit"
        columns={["Done", "When", "By", "To", "Why"]}
        rows={records.map(({ seq, at, actor, action, subject, reason }) => ({
          key: String(seq),
          cells: [
            action,
            <Time key="at" at={at} />,
            actor,
            <span key="subject" className="admin-long">
              {subject}
            </span>,
            reason,
          ],
        }))}
      />
      {hasNextPage ? (
        <Button
          className="admin-more"
          aria-disabled={isFetchingNextPage}
          onClick={() => (isFetchingNextPage ? undefined : audit.fetchNextPage())}
        >
          {isFetchingNextPage ? "Loading…" : "Show older"}
        </Button>
      ) : (
        <p className="admin-soft">End of the audit log.</p>
      )}
    </div>
  )
}
