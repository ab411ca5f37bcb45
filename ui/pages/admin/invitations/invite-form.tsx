import { useState } from "react"
import type { Role, TeamSummary } from "../../../../src/server/api.ts"
import { Button } from "../../../parts/button.tsx"
import { CheckField } from "../../../parts/check-field.tsx"
import { Field } from "../../../parts/field.tsx"
import { Select } from "../../../parts/select.tsx"
import { rolesToInvite } from "../rights.ts"
import { roleWords } from "../role-words.ts"

export type Invitee = { email: string; role: Role; teams: string[] }

type Properties = {
  role: Role
  teams: TeamSummary[]
  problem: string | undefined
  isBusy: boolean
  onSend: (invitee: Invitee) => void
  onClose: () => void
}

export function InviteForm({ role, teams, problem, isBusy, onSend, onClose }: Properties) {
  const [invitee, setInvitee] = useState<Invitee>({ email: "", role: "member", teams: [] })
  const set = (part: Partial<Invitee>) => setInvitee((known) => ({ ...known, ...part }))
  const choices = rolesToInvite(role)
  return (
    <form
      className="admin-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) onSend({ ...invitee, email: invitee.email.trim() })
      }}
    >
      <Field label="E-mail" hint="For your reference; Drey does not send email." problem={problem}>
        {(attributes) => (
          <input
            {...attributes}
            className="input"
            type="email"
            required
            value={invitee.email}
            onChange={(event) => set({ email: event.target.value })}
          />
        )}
      </Field>
      <Field label="Role" hint={`${roleWords[invitee.role]}.`}>
        {(attributes) => (
          <Select
            {...attributes}
            value={invitee.role}
            onChange={(value) => set({ role: choices.find((choice) => choice === value) ?? "member" })}
            options={choices.map((choice) => ({ value: choice, name: choice }))}
          />
        )}
      </Field>
      {teams.length > 0 ? (
        <fieldset className="admin-choices">
          <legend className="field-label">Teams</legend>
          {teams.map(({ id, name }) => (
            <CheckField
              key={id}
              isChecked={invitee.teams.includes(id)}
              onChange={(isChecked) =>
                set({ teams: isChecked ? [...invitee.teams, id] : invitee.teams.filter((each) => each !== id) })
              }
            >
              {name}
            </CheckField>
          ))}
        </fieldset>
      ) : null}
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" aria-disabled={isBusy}>
          Create link
        </Button>
      </div>
    </form>
  )
}
