import { useQuery } from "@tanstack/react-query"
import RefreshCw from "lucide-react/icons/refresh-cw"
import type { Health } from "../../../src/recall/browse/app-api.ts"
import { healthQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { Button } from "../../parts/button.tsx"
import { Page } from "../../parts/page.tsx"
import { Checks } from "./checks.tsx"
import { FilesInPlace } from "./files-in-place.tsx"
import { groupChecks } from "./group-checks.ts"
import "./health.css"

/** Doctor's findings, how to fix them, and the broken files. */
export function HealthPage() {
  const query = useQuery(healthQuery())
  return (
    <Page
      title="Health"
      actions={
        <Button onClick={() => query.refetch()} aria-disabled={query.isFetching}>
          <RefreshCw size={14} aria-hidden /> {query.isFetching ? "Checking…" : "Check again"}
        </Button>
      }
    >
      <Answer query={query} lines={12}>
        {(health) => <Findings health={health} />}
      </Answer>
    </Page>
  )
}

function Findings({ health: { checks, diagnostics, further } }: { health: Health }) {
  const groups = groupChecks(checks)
  return (
    <>
      <p className="health-summary" aria-live="polite">
        {groups
          .filter((group) => group.checks.length > 0)
          .map(({ look, name, checks: found }) => (
            <span key={look} className="health-count" data-look={look}>
              <strong>{found.length}</strong> {name.toLowerCase()}
            </span>
          ))}
      </p>
      {groups.map((group) => (
        <Checks key={group.look} group={group} />
      ))}
      <FilesInPlace diagnostics={diagnostics} further={further} />
    </>
  )
}
