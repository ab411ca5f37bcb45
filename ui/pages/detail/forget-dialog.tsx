import { useState } from "react"
import type { Changed, Detail, Forget } from "../../../src/web/api.ts"
import { ConflictError } from "../../api/fetch-json.ts"
import { itemPath } from "../../api/paths.ts"
import { useChange } from "../../api/use-change.ts"
import { Button } from "../../parts/button.tsx"
import { Dialog } from "../../parts/dialog.tsx"
import { Field } from "../../parts/field.tsx"

type Properties = { detail: Detail; isOpen: boolean; onClose: () => void; onDone: (changed: Changed) => void }

export function ForgetDialog({ detail: { row, version }, isOpen, onClose, onDone }: Properties) {
  const [reason, setReason] = useState("")
  const forget = useChange<Forget>(itemPath(row.id, "forget"), (changed) => {
    onClose()
    onDone(changed)
  })
  const conflict = forget.error instanceof ConflictError ? forget.error.message : undefined
  return (
    <Dialog
      title={`Forget “${row.title}”?`}
      description="No agent is handed it any more. It can be undone."
      isOpen={isOpen}
      onClose={onClose}
    >
      <form
        className="detail-form"
        onSubmit={(event) => {
          event.preventDefault()
          forget.mutate({ version, ...(reason.trim() ? { reason: reason.trim() } : {}) })
        }}
      >
        <Field label="Why?" hint="Goes on record beside it." problem={conflict}>
          {(attributes) => (
            <input
              {...attributes}
              className="input"
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          )}
        </Field>
        <div className="dialog-actions">
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" look="danger" disabled={forget.isPending}>
            Forget it
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
