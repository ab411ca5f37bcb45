import { useState } from "react"
import type { Detail, ForgetItemRequest } from "../../../src/recall/browse/app-api.ts"
import { Button } from "../../parts/button.tsx"
import { Dialog } from "../../parts/dialog.tsx"
import { Field } from "../../parts/field.tsx"
import type { DetailPlace } from "./item-detail.tsx"
import { useItemChange } from "./use-item-change.ts"

type Properties = { detail: Detail; isOpen: boolean; onClose: () => void; place: DetailPlace }

export function ForgetDialog({ detail: { row, version }, isOpen, onClose, place }: Properties) {
  const [reason, setReason] = useState("")
  const forget = useItemChange<ForgetItemRequest>(row.id, "forget", place)
  return (
    <Dialog
      title={`Forget “${row.title}”?`}
      description="Agents will no longer see it. You can undo this."
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
        <Field label="Why?" hint="Stored in its history.">
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
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={forget.isPending}>
            Forget it
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
