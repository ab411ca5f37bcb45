import type { Member, Role } from "../../../../src/server/api.ts"
import { teamPath } from "../../../api/paths.ts"
import { useTeamChange } from "../../../api/use-team-change.ts"
import { ConfirmedButton } from "../../../parts/confirmed-button.tsx"
import { rolesToGive } from "../rights.ts"

type Properties = { member: Member; own: Role; isLastOwner: boolean }

export function RemoveMember({ member: { id, name, role }, own, isLastOwner }: Properties) {
  const change = useTeamChange()
  if (rolesToGive(own, { role, isLastOwner }).length === 0) return null
  return (
    <ConfirmedButton
      name="Remove"
      label={`Remove ${name}`}
      title={`Remove ${name}?`}
      description="Their tokens and sessions end at once. Memories they shared stay, with their name."
      isBusy={change.isPending}
      onConfirm={() => change.mutate({ method: "DELETE", path: teamPath("members", id), said: `${name} was removed` })}
    />
  )
}
