import type { SessionDetail } from "../../../src/recall/browse/app-api.ts"
import { Time } from "../../parts/time.tsx"
import { SessionStatus } from "./session-status.tsx"
import { tellDuration } from "./tell-duration.ts"

export function SessionHead({ session }: { session: SessionDetail }) {
  const { row, metadata, problems } = session
  return (
    <header className="session-head">
      <p className="attempt-facts">
        <SessionStatus status={row.status} />
        <span>{row.agents.join(", ")}</span>
        <span>
          began <Time at={row.startedAt} />
        </span>
        {row.endedAt === null ? null : (
          <span>took {tellDuration(Date.parse(row.endedAt) - Date.parse(row.startedAt))}</span>
        )}
      </p>
      <h2 className="session-task">{row.task}</h2>
      {metadata.resultSummary ? <p>{metadata.resultSummary}</p> : null}
      <StateLine session={session} />
      <code className="session-id">{row.id}</code>
      {problems.length > 0 ? (
        <ul className="session-problems" aria-label="Problems in its files">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      ) : null}
    </header>
  )
}

/** How far the machine that runs the agents is, while it runs. */
function StateLine({ session: { state, row } }: { session: SessionDetail }) {
  if (!state || !row.isActive) return null
  const { state: name, currentAgent, iterationCount, maxIterations, consecutiveFailures, lastError } = state
  return (
    <p className="session-state">
      {name}
      {currentAgent ? `, ${currentAgent}’s turn` : ""}; round {iterationCount} of at most {maxIterations}
      {consecutiveFailures > 0 && lastError
        ? `; ${consecutiveFailures} failed in a row, the last with: ${lastError.message}`
        : ""}
    </p>
  )
}
