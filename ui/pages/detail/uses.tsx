import type { ItemUseRow } from "../../../src/recall/browse/app-api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Time } from "../../parts/time.tsx"

const outcomes = {
  hit: "Helped: the error did not recur",
  miss: "Didn't help: the error recurred",
  helped: "Reported as helpful",
  wrong: "Reported as wrong",
}

/** Every time it was handed to an agent, and what came of it. */
export function Uses({ uses }: { uses: ItemUseRow[] }) {
  if (uses.length === 0) return <EmptyState title="No agent has seen it yet." />
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
            {[outcome ? outcomes[outcome] : "Outcome unknown", reason].filter(Boolean).join(" · ")}
          </span>
        </li>
      ))}
    </ul>
  )
}
