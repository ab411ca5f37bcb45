import { useQuery } from "@tanstack/react-query"
import { useParams } from "wouter"
import { agentsQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { decodePart } from "../../parts/decode-part.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Page } from "../../parts/page.tsx"
import { AgentPage } from "./agent-page.tsx"
import { AgentTable } from "./agent-table.tsx"
import "./agents.css"

/** All agents, or the one that the address names. */
export function AgentsPage() {
  const { name } = useParams<{ name?: string }>()
  return name === undefined ? <AllAgents /> : <AgentPage key={name} name={decodePart(name)} />
}

function AllAgents() {
  const query = useQuery(agentsQuery())
  return (
    <Page title="Agents">
      <Answer query={query}>
        {({ agents }) =>
          agents.length === 0 ? (
            <EmptyState
              title="The team has no agents yet."
              hint="Agents are the rows of the table in team.md, or the folders under agents in the team folder."
            />
          ) : (
            <AgentTable agents={agents} />
          )
        }
      </Answer>
    </Page>
  )
}
