import { useState } from "react"
import type { ProposalDetail, RefuseProposalRequest } from "../../../src/recall/browse/app-api.ts"
import { Button } from "../../parts/button.tsx"
import { Dialog } from "../../parts/dialog.tsx"
import { Field } from "../../parts/field.tsx"
import type { ProposalChange } from "./use-proposal-change.ts"

type Properties = {
  proposal: ProposalDetail
  refuse: ProposalChange<RefuseProposalRequest>
  isOpen: boolean
  onClose: () => void
}

export function RefuseDialog({ proposal: { row, from, version }, refuse, isOpen, onClose }: Properties) {
  const [reason, setReason] = useState("")
  return (
    <Dialog
      title={`Refuse “${row.title}”?`}
      description={
        from === "learned"
          ? "It is set aside with your reason and not proposed again. You can undo this."
          : "It is set aside with your reason. You can undo this."
      }
      isOpen={isOpen}
      onClose={onClose}
    >
      <form
        className="detail-form"
        onSubmit={(event) => {
          event.preventDefault()
          refuse.mutate({ version, reason: reason.trim() })
        }}
      >
        <Field label="Why not?" hint="Recorded, so that its author can learn from it.">
          {(attributes) => (
            <input
              {...attributes}
              className="input"
              required
              pattern=".*\S.*"
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          )}
        </Field>
        {refuse.error ? <p className="field-problem">{refuse.error.message}</p> : null}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={refuse.isPending}>
            Refuse proposal
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
