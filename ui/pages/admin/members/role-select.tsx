import type { Member, Role } from "../../../../src/server/api.ts"
import { teamPath } from "../../../api/paths.ts"
import { useTeamChange } from "../../../api/use-team-change.ts"
import { Select } from "../../../parts/select.tsx"
import { rolesToGive } from "../rights.ts"
import { roleWords } from "../role-words.ts"

type Properties = { member: Member; own: Role; isLastOwner: boolean }

/** A member's role; to choose from where it may be changed. */
export function RoleSelect({ member: { id, name, role }, own, isLastOwner }: Properties) {
  const change = useTeamChange()
  const choices = rolesToGive(own, { role, isLastOwner })
  if (choices.length === 0) return <span title={roleWords[role]}>{role}</span>
  const give = (next: string) => {
    const path = teamPath("members", id)
    change.mutate({
      method: "PATCH",
      path,
      body: { role: next },
      said: `${name} is ${next} now`,
      undo: { method: "PATCH", path, body: { role } },
    })
  }
  return (
    <Select
      aria-label={`Role of ${name}`}
      disabled={change.isPending}
      value={role}
      onChange={give}
      options={choices.map((choice) => ({ value: choice, name: choice }))}
    />
  )
}
