import { useQuery } from "@tanstack/react-query"
import UserPlus from "lucide-react/icons/user-plus"
import { useState } from "react"
import type { Invitation, Role, TeamSummary } from "../../../../src/server/api.ts"
import { teamPath } from "../../../api/paths.ts"
import { invitationsQuery, teamsQuery } from "../../../api/team-queries.ts"
import { useTeamChange } from "../../../api/use-team-change.ts"
import { Answer } from "../../../parts/answer.tsx"
import { Button } from "../../../parts/button.tsx"
import { ConfirmedButton } from "../../../parts/confirmed-button.tsx"
import { EmptyState } from "../../../parts/empty-state.tsx"
import { Time } from "../../../parts/time.tsx"
import { AdminTable } from "../admin-table.tsx"
import { InviteDialog } from "./invite-dialog.tsx"

/** Who was invited and has not come yet. */
export function InvitationsTab({ role }: { role: Role }) {
  const invitations = useQuery(invitationsQuery())
  const { data: teams } = useQuery(teamsQuery())
  const [isInviting, setInviting] = useState(false)
  return (
    <div className="admin-tab">
      <div className="admin-head">
        <p className="admin-intro">Each link works once, for one person. Send it over a channel you trust.</p>
        <Button look="primary" onClick={() => setInviting(true)}>
          <UserPlus size={14} aria-hidden /> Invite a member
        </Button>
      </div>
      <Answer query={invitations}>
        {({ invitations: open }) =>
          open.length === 0 ? (
            <EmptyState title="No open invitations." hint="People who have joined are listed under Members." />
          ) : (
            <AdminTable
              label="Open invitations"
              columns={["For", "Role", "Teams", "Invited by", "Expires", ""]}
              rows={open.map((invitation) => ({
                key: invitation.id,
                cells: cellsOf(invitation, teams?.teams ?? []),
              }))}
            />
          )
        }
      </Answer>
      {isInviting ? <InviteDialog role={role} teams={teams?.teams ?? []} onClose={() => setInviting(false)} /> : null}
    </div>
  )
}

function cellsOf(invitation: Invitation, teams: TeamSummary[]) {
  const names = teams.filter(({ id }) => invitation.teams.includes(id)).map(({ name }) => name)
  return [
    invitation.email,
    invitation.role,
    names.length === 0 ? <span className="admin-soft">none</span> : names.join(", "),
    invitation.invitedBy,
    <Time key="until" at={invitation.expires} />,
    <Withdraw key="withdraw" invitation={invitation} />,
  ]
}

function Withdraw({ invitation: { id, email } }: { invitation: Invitation }) {
  const change = useTeamChange()
  return (
    <ConfirmedButton
      name="Withdraw"
      label={`Withdraw the invitation of ${email}`}
      title={`Withdraw the invitation of ${email}?`}
      description="Its link stops working at once."
      isBusy={change.isPending}
      onConfirm={() =>
        change.mutate({
          method: "DELETE",
          path: teamPath("invitations", id),
          said: `The invitation of ${email} was withdrawn`,
        })
      }
    />
  )
}
