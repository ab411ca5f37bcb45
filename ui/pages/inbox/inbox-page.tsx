import { useQuery } from "@tanstack/react-query"
import { inboxQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { EmptyState } from "../../parts/empty-state.tsx"
import { usePageTitle } from "../../parts/page.tsx"
import { CaseDesk } from "./case-desk.tsx"
import { casesOf } from "./cases.ts"
import "../detail/detail.css"
import "./inbox.css"

/** What must be reviewed before it becomes active. */
export function InboxPage() {
  usePageTitle("Inbox")
  const query = useQuery(inboxQuery())
  return (
    <>
      <h1 className="for-readers">Inbox</h1>
      <Answer query={query} lines={8}>
        {(inbox) => {
          const cases = casesOf(inbox)
          if (cases.length > 0) return <CaseDesk cases={cases} />
          return (
            <EmptyState
              title="Nothing to review."
              hint="Agents' proposals, proven memories and imported notes appear here for review."
            />
          )
        }}
      </Answer>
    </>
  )
}
