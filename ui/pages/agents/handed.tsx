import type { AgentDetail } from "../../../src/recall/browse/app-api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Time } from "../../parts/time.tsx"

/** Every context that an agent was handed, the newest first. */
export function Handed({ handed }: { handed: AgentDetail["handed"] }) {
  if (handed.length === 0)
    return (
      <EmptyState
        title="No contexts yet."
        hint="Clients request a context for each task. Connect them with drey connect."
      />
    )
  return (
    <ul className="handed">
      {handed.map(({ taskId, at, client, session, reason }) => (
        <li key={`${taskId} ${at}`} className="handed-row">
          <span>{reason ?? "a context"}</span>
          <Time at={at} />
          <span className="handed-from">
            {[client ?? "the command line", session, `task ${taskId}`].filter((part) => part !== null).join(" · ")}
          </span>
        </li>
      ))}
    </ul>
  )
}
