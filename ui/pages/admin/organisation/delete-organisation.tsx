import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useLocation } from "wouter"
import type { Organisation } from "../../../../src/server/api.ts"
import { useTeamChange } from "../../../api/use-team-change.ts"
import { Button } from "../../../parts/button.tsx"
import { Dialog } from "../../../parts/dialog.tsx"
import { Field } from "../../../parts/field.tsx"
import { quantity } from "../../../parts/format-number.ts"
import { Panel } from "../../../parts/panel.tsx"

/** Deletes the organisation with everything in it; the user types its short name first. */
export function DeleteOrganisation({ organisation: { name, slug, memories } }: { organisation: Organisation }) {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState("")
  const queryClient = useQueryClient()
  const [, navigate] = useLocation()
  const end = useTeamChange({
    showsProblems: true,
    onDone: () => {
      queryClient.clear()
      navigate("/sign-in")
    },
  })
  const isMeant = typed === slug
  return (
    <Panel title="Delete the organisation">
      <p className="admin-intro">
        {quantity(memories, "memory", "memories")}, people, tokens and the audit are gone for good. Download the export
        first.
      </p>
      <Button look="danger" className="admin-download" onClick={() => setOpen(true)}>
        Delete {name}
      </Button>
      <Dialog
        title={`Delete ${name}?`}
        description="This cannot be undone. All members are signed out at once; their local memories stay."
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      >
        <form
          className="admin-form"
          onSubmit={(event) => {
            event.preventDefault()
            if (isMeant && !end.isPending)
              end.mutate({ method: "DELETE", path: "/v1/org", body: { confirm: slug }, said: `${name} was deleted` })
          }}
        >
          <Field label={`Type ${slug} to confirm`} problem={end.error?.message}>
            {(attributes) => (
              <input
                {...attributes}
                className="input"
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </Field>
          <div className="dialog-actions">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button type="submit" look="danger" aria-disabled={!isMeant || end.isPending}>
              Delete permanently
            </Button>
          </div>
        </form>
      </Dialog>
    </Panel>
  )
}
