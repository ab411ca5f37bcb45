import { useState } from "react"
import { useTeamChange } from "../../../api/use-team-change.ts"
import { Button } from "../../../parts/button.tsx"
import { Field } from "../../../parts/field.tsx"

/** Gives the organisation another name; its short one stays, for links and machines know it. */
export function RenameForm({ name }: { name: string }) {
  const [next, setNext] = useState(name)
  const rename = useTeamChange({ showsProblems: true })
  const request = (to: string) => ({ method: "PATCH", path: "/v1/org", body: { name: to } }) as const
  const isSame = next.trim() === name || next.trim() === ""
  return (
    <form
      className="admin-line"
      onSubmit={(event) => {
        event.preventDefault()
        if (rename.isPending || isSame) return
        const to = next.trim()
        rename.mutate({ ...request(to), said: `Renamed to ${to}`, undo: request(name) })
      }}
    >
      <Field label="Name" problem={rename.error?.message}>
        {(attributes) => (
          <input
            {...attributes}
            className="input"
            required
            maxLength={100}
            value={next}
            onChange={(event) => setNext(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" aria-disabled={rename.isPending || isSame}>
        Rename
      </Button>
    </form>
  )
}
