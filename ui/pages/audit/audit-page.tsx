import { useQuery } from "@tanstack/react-query"
import { auditQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Page } from "../../parts/page.tsx"
import { useDebounced } from "../../parts/use-debounced.ts"
import { useSearchValues } from "../../parts/use-search-values.ts"
import { AuditChain } from "./audit-chain.tsx"
import { AuditFilters } from "./audit-filters.tsx"
import { AuditPages } from "./audit-pages.tsx"
import { AuditRecords } from "./audit-records.tsx"
import "./audit.css"

const pageSize = 50
const quietTime = 150
const refetchInterval = 5000

/** Who did what with the team's memory, and whether the record of it is as it was written. */
export function AuditPage() {
  const [values] = useSearchValues()
  const text = useDebounced(values.get("text") ?? "", quietTime)
  const page = Math.max(1, Math.floor(Number(values.get("page")) || 1))
  const query = useQuery({
    ...auditQuery({
      action: values.get("action") ?? "",
      actor: values.get("actor") ?? "",
      text,
      limit: pageSize,
      offset: (page - 1) * pageSize,
    }),
    refetchInterval, // a refusal changes no item, so there is no event for it
  })
  return (
    <Page title="Audit">
      <Answer query={query} lines={10}>
        {(audit) =>
          audit.lines === 0 && audit.problem === null ? (
            <EmptyState
              title="No audit records yet."
              hint="Every write, refusal and deletion is recorded: who, when and why, never the content."
            />
          ) : (
            <>
              <AuditChain audit={audit} />
              <AuditFilters audit={audit} />
              <AuditRecords records={audit.records} />
              <AuditPages page={page} pageSize={pageSize} total={audit.total} />
            </>
          )
        }
      </Answer>
    </Page>
  )
}
