import { useQuery } from "@tanstack/react-query"
import { membersQuery, teamsQuery } from "../../../api/team-queries.ts"
import { Answer } from "../../../parts/answer.tsx"
import { EmptyState } from "../../../parts/empty-state.tsx"
import { CreateTeam } from "./create-team.tsx"
import { TeamPanel } from "./team-panel.tsx"

/** The teams of the organisation and who is in them. */
export function TeamsTab() {
  const teams = useQuery(teamsQuery())
  const { data: everybody } = useQuery(membersQuery())
  return (
    <div className="admin-tab">
      <p className="admin-intro">
        A memory is shared with one team or with the whole organisation. Members of a team get what it shares.
      </p>
      <CreateTeam />
      <Answer query={teams}>
        {({ teams: found }) =>
          found.length === 0 ? (
            <EmptyState title="No teams yet." hint="Until then, memories are shared with the whole organisation." />
          ) : (
            <div className="admin-teams">
              {found.map((team) => (
                <TeamPanel key={team.id} team={team} everybody={everybody?.members ?? []} />
              ))}
            </div>
          )
        }
      </Answer>
    </div>
  )
}
