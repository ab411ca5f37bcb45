import { useState } from "react"
import { useTeamChange } from "../../../api/use-team-change.ts"
import { Button } from "../../../parts/button.tsx"
import { Field } from "../../../parts/field.tsx"

export function CreateTeam() {
  const [name, setName] = useState("")
  const create = useTeamChange({ onDone: () => setName(""), showsProblems: true })
  return (
    <form
      className="admin-line"
      onSubmit={(event) => {
        event.preventDefault()
        if (create.isPending) return
        create.mutate({
          method: "POST",
          path: "/v1/teams",
          body: { name: name.trim() },
          said: `Created the team ${name.trim()}`,
        })
      }}
    >
      <Field label="New team" problem={create.error?.message}>
        {(attributes) => (
          <input
            {...attributes}
            className="input"
            required
            maxLength={100}
            placeholder="Payments"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" aria-disabled={create.isPending}>
        Create
      </Button>
    </form>
  )
}
