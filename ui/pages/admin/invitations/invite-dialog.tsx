import { useState } from "react"
import type { CreatedInvitation, Role, TeamSummary } from "../../../../src/server/api.ts"
import { useTeamChange } from "../../../api/use-team-change.ts"
import { Button } from "../../../parts/button.tsx"
import { Dialog } from "../../../parts/dialog.tsx"
import { ShownOnce } from "../../../parts/shown-once.tsx"
import { type Invitee, InviteForm } from "./invite-form.tsx"

type Properties = { role: Role; teams: TeamSummary[]; onClose: () => void }

/** Asks who is invited and with which role, then shows the link, which cannot be shown again. */
export function InviteDialog({ role, teams, onClose }: Properties) {
  const [made, setMade] = useState<CreatedInvitation | null>(null)
  const invite = useTeamChange<CreatedInvitation>({ onDone: setMade, showsProblems: true })
  const send = (invitee: Invitee) => invite.mutate({ method: "POST", path: "/v1/invitations", body: invitee })
  return (
    <Dialog title={made ? `The link for ${made.invitation.email}` : "Invite a member"} isOpen onClose={onClose}>
      {made ? (
        <>
          <ShownOnce
            label="Link"
            hint="It is shown only once and works for the first person who opens it."
            text={new URL(made.link, location.origin).href}
            what="the link"
          />
          <div className="dialog-actions">
            <Button onClick={onClose}>Done</Button>
          </div>
        </>
      ) : (
        <InviteForm
          role={role}
          teams={teams}
          problem={invite.error?.message}
          isBusy={invite.isPending}
          onSend={send}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}
