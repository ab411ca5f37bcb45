import { useQuery } from "@tanstack/react-query"
import type { Member, Role, TeamSummary } from "../../../../src/server/api.ts"
import { membersQuery, meQuery, teamsQuery } from "../../../api/team-queries.ts"
import { Answer } from "../../../parts/answer.tsx"
import { Time } from "../../../parts/time.tsx"
import { AdminTable } from "../admin-table.tsx"
import { isAdmin } from "../rights.ts"
import { RemoveMember } from "./remove-member.tsx"
import { RoleSelect } from "./role-select.tsx"

/** Everybody in the organisation; an admin changes roles and removes people. */
export function MembersTab({ role }: { role: Role }) {
  const members = useQuery(membersQuery())
  const { data: me } = useQuery(meQuery())
  const { data: teams } = useQuery(teamsQuery())
  return (
    <Answer query={members}>
      {({ members: everybody }) => {
        const rows = everybody.map((member) => ({
          key: member.id,
          cells: cellsOf(member, {
            own: role,
            isOneself: member.id === me?.member.id,
            isLastOwner: member.role === "owner" && everybody.filter(isOwner).length === 1,
            teams: teams?.teams ?? [],
          }),
        }))
        const columns = ["Name", "Role", "Teams", "Last seen", ...(isAdmin(role) ? [""] : [])]
        return <AdminTable label="Members" columns={columns} rows={rows} />
      }}
    </Answer>
  )
}

type Standing = { own: Role; isOneself: boolean; isLastOwner: boolean; teams: TeamSummary[] }

function cellsOf(member: Member, { own, isOneself, isLastOwner, teams }: Standing) {
  const names = teams.filter(({ id }) => member.teams.includes(id)).map(({ name }) => name)
  return [
    <>
      {member.name}
      {isOneself ? <span className="admin-mark">you</span> : null}
      <span className="admin-soft">{member.email}</span>
    </>,
    <RoleSelect key="role" member={member} own={own} isLastOwner={isLastOwner} />,
    names.length === 0 ? <span className="admin-soft">none</span> : names.join(", "),
    member.lastSeen === null ? <span className="admin-soft">never</span> : <Time at={member.lastSeen} />,
    ...(isAdmin(own)
      ? [isOneself ? null : <RemoveMember key="remove" member={member} own={own} isLastOwner={isLastOwner} />]
      : []),
  ]
}

function isOwner({ role }: Member): boolean {
  return role === "owner"
}
