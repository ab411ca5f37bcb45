import { Link } from "wouter"
import type { Overview } from "../../../src/recall/browse/app-api.ts"
import { formatNumber } from "../../parts/format-number.ts"
import { Panel } from "../../parts/panel.tsx"
import { ShareBar } from "../../parts/share-bar.tsx"

/** The context cost of each agent, the most expensive first. */
export function ContextCost({ cost }: { cost: NonNullable<Overview["cost"]> }) {
  const most = cost.reduce((known, { tokens }) => Math.max(known, tokens), 1)
  const sorted = [...cost].sort((one, other) => other.tokens - one.tokens)
  return (
    <Panel title="Context cost per agent" actions={<Link href="/context">Preview a context</Link>}>
      <p className="overview-note">
        What an agent is handed for a task, on average; before its first task, the rules that every task begins with. A
        token is about three quarters of a word; clients bill by token.
      </p>
      {sorted.length === 0 ? (
        <p className="overview-none">The team has no agents yet. They are listed in team.md of the team folder.</p>
      ) : (
        <ul className="costs">
          {sorted.map(({ agent, tokens }) => (
            <li key={agent} className="cost">
              <Link href={`/agents/${encodeURIComponent(agent)}`}>{agent}</Link>
              <ShareBar share={tokens / most} />
              <span className="cost-figure">{formatNumber(tokens)} tokens</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
