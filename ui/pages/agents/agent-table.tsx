import { Link } from "wouter"
import type { AgentRow } from "../../../src/recall/browse/app-api.ts"
import { formatNumber } from "../../parts/format-number.ts"
import { ShareBar } from "../../parts/share-bar.tsx"
import { Time } from "../../parts/time.tsx"
import { agentHref } from "./agent-href.ts"
import { formatBytes } from "./format-bytes.ts"

/** Every agent with what it has contributed and what it costs, the most active first. */
export function AgentTable({ agents }: { agents: AgentRow[] }) {
  const sorted = [...agents].sort((one, other) => other.entries - one.entries)
  const most = Math.max(1, ...agents.map(({ entries }) => entries))
  return (
    <div className="panel agent-panel">
      <p className="agents-meaning">
        Entries are what an agent wrote, decisions those among them that bind the team. Tokens are the cost of its
        context: the rules that every task starts with, and the average in all.
      </p>
      <table className="figures-table agent-table">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Entries</th>
            <th scope="col">Decisions</th>
            <th scope="col">History</th>
            <th scope="col">Rule tokens</th>
            <th scope="col">Tokens per task</th>
            <th scope="col">Tasks</th>
            <th scope="col">Last entry</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((agent) => (
            <tr key={agent.name}>
              <th scope="row" className="agent-name">
                <Link href={agentHref(agent.name)}>{agent.name}</Link>
                <span className="agent-role">{agent.role ?? ""}</span>
              </th>
              <td data-name="Entries">
                <span className="agent-entries">
                  {formatNumber(agent.entries)}
                  <ShareBar share={agent.entries / most} />
                </span>
              </td>
              <td data-name="Decisions">{formatNumber(agent.decisions)}</td>
              <td data-name="History">{formatBytes(agent.historyBytes)}</td>
              <td data-name="Rule tokens">{formatNumber(agent.baseTokens)}</td>
              <td data-name="Tokens per task">
                {agent.meanTokens === null ? "none yet" : formatNumber(agent.meanTokens)}
              </td>
              <td data-name="Tasks">{formatNumber(agent.tasks)}</td>
              <td data-name="Last entry">{agent.lastAt === null ? "never" : <Time at={agent.lastAt} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
