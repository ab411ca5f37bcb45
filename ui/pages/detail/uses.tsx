import type { Use } from "../../../src/web/api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Time } from "../../parts/time.tsx"

const outcomes = {
  hit: "What it warns of did not come again",
  miss: "It came again all the same",
  helped: "Said to have helped",
  wrong: "Said to be wrong",
}

/** Every time it was handed to an agent, and what came of it. */
export function Uses({ uses }: { uses: Use[] }) {
  if (uses.length === 0) return <EmptyState title="It has not been handed to an agent yet." />
  return (
    <ul className="uses">
      {uses.map(({ taskId, at, agent, client, rank, reason, outcome }) => (
        <li key={`${taskId} ${at}`} className="use">
          <span className="use-outcome" data-outcome={outcome ?? "open"}>
            {outcome ?? "open"}
          </span>
          <span className="use-who">
            {[agent, client].filter((name) => name !== null).join(" · ") || "an agent"}
            {rank === null ? "" : `, place ${rank}`}
          </span>
          <Time at={at} />
          <span className="use-reason">
            {[outcome ? outcomes[outcome] : "Nothing is known of what came of it", reason].filter(Boolean).join(" · ")}
          </span>
        </li>
      ))}
    </ul>
  )
}
