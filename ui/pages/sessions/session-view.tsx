import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { SessionDetail } from "../../../src/recall/browse/app-api.ts"
import { sessionQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { usePageTitle } from "../../parts/page.tsx"
import { Select } from "../../parts/select.tsx"
import { Tabs } from "../../parts/tabs.tsx"
import { useSearchValues } from "../../parts/use-search-values.ts"
import { AgentContexts } from "./agent-contexts.tsx"
import { AttemptTrack } from "./attempt-track.tsx"
import { DecisionList } from "./decision-list.tsx"
import { DiscoveryList } from "./discovery-list.tsx"
import { notedBy } from "./noted.ts"
import { PlanSteps } from "./plan-steps.tsx"
import { SessionHead } from "./session-head.tsx"
import { trackAttempts } from "./track.ts"
import { useNow } from "./use-now.ts"

export function SessionView({ id }: { id: string }) {
  const query = useQuery(sessionQuery(id))
  return (
    <Answer query={query} lines={12}>
      {(session) => <LoadedSession session={session} />}
    </Answer>
  )
}

function LoadedSession({ session }: { session: SessionDetail }) {
  usePageTitle(session.row.task || "Session")
  const [values, change] = useSearchValues()
  const now = useNow(session.row.isActive)
  const agent = values.get("agent") ?? ""
  const agents = session.agents.filter(({ name }) => agent === "" || name === agent)
  const all = useMemo(() => trackAttempts(session, now), [session, now])
  const attempts = all.filter((each) => agent === "" || each.agent === agent)
  const discoveries = notedBy(agents, (memory) => memory.discoveries)
  const decisions = notedBy(agents, (memory) => memory.decisions)
  return (
    <article className="session">
      <SessionHead session={session} />
      {session.agents.length > 1 ? (
        <Select
          aria-label="Agent"
          className="session-agent"
          value={agent}
          onChange={(name) => change({ agent: name }, { replace: true })}
          options={[{ value: "", name: "All agents" }, ...session.agents.map(({ name }) => ({ value: name, name }))]}
        />
      ) : null}
      <Tabs
        label="Session records"
        shown={values.get("show") ?? "attempts"}
        onChange={(tab) => change({ show: tab === "attempts" ? null : tab }, { replace: true })}
        tabs={[
          {
            id: "attempts",
            name: "Attempts",
            count: attempts.length,
            content: <AttemptTrack attempts={attempts} />,
          },
          {
            id: "discoveries",
            name: "Discoveries",
            count: discoveries.length,
            content: <DiscoveryList discoveries={discoveries} />,
          },
          {
            id: "decisions",
            name: "Decisions",
            count: decisions.length,
            content: <DecisionList decisions={decisions} agents={session.agents} />,
          },
          {
            id: "plan",
            name: "Plan",
            count: session.plan?.steps.length ?? 0,
            content: <PlanSteps plan={session.plan} />,
          },
          { id: "context", name: "Context", content: <AgentContexts agents={agents} /> },
        ]}
      />
    </article>
  )
}
