import X from "lucide-react/icons/x"
import type { Member, TeamSummary } from "../../../../src/server/api.ts"
import { teamPath } from "../../../api/paths.ts"
import { useTeamChange } from "../../../api/use-team-change.ts"
import { ConfirmedButton } from "../../../parts/confirmed-button.tsx"
import { IconButton } from "../../../parts/icon-button.tsx"
import { Panel } from "../../../parts/panel.tsx"
import { Select } from "../../../parts/select.tsx"

/** One team: who is in it, who could be. */
export function TeamPanel({ team, everybody }: { team: TeamSummary; everybody: Member[] }) {
  const change = useTeamChange()
  const inside = everybody.filter(({ teams }) => teams.includes(team.id))
  const outside = everybody.filter(({ teams }) => !teams.includes(team.id))
  const put = (member: Member, isIn: boolean) => {
    const path = teamPath("teams", team.id, "members", member.id)
    const [method, opposite] = isIn ? (["PUT", "DELETE"] as const) : (["DELETE", "PUT"] as const)
    const said = `${member.name} is ${isIn ? "in" : "no longer in"} ${team.name}`
    if (!change.isPending) change.mutate({ method, path, said, undo: { method: opposite, path } })
  }
  return (
    <Panel
      title={team.name}
      actions={
        <ConfirmedButton
          name="Delete"
          label={`Delete the team ${team.name}`}
          title={`Delete the team ${team.name}?`}
          description="Memories shared with it are retired. Its members stay in the organisation."
          isBusy={change.isPending}
          onConfirm={() =>
            change.mutate({ method: "DELETE", path: teamPath("teams", team.id), said: `${team.name} was deleted` })
          }
        />
      }
    >
      {inside.length === 0 ? <p className="admin-soft">No members yet.</p> : null}
      <ul className="team-members" aria-label={`Members of ${team.name}`}>
        {inside.map((member) => (
          <li key={member.id} className="team-member">
            {member.name}
            <IconButton
              name={`Remove ${member.name} from ${team.name}`}
              icon={<X size={14} aria-hidden />}
              onClick={() => put(member, false)}
            />
          </li>
        ))}
      </ul>
      {outside.length > 0 ? (
        <Select
          aria-label={`Add a member to ${team.name}`}
          value=""
          onChange={(id) => {
            const member = outside.find((each) => each.id === id)
            if (member) put(member, true)
          }}
          options={[{ value: "", name: "Add a member…" }, ...outside.map(({ id, name }) => ({ value: id, name }))]}
        />
      ) : null}
    </Panel>
  )
}
