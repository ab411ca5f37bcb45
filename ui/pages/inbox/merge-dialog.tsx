import { useState } from "react"
import type { MergeProposalRequest, ProposalDetail } from "../../../src/recall/browse/app-api.ts"
import { Button } from "../../parts/button.tsx"
import { Dialog } from "../../parts/dialog.tsx"
import { MergeTarget } from "./merge-target.tsx"
import type { ProposalChange } from "./use-proposal-change.ts"

type Properties = {
  proposal: ProposalDetail
  merge: ProposalChange<MergeProposalRequest>
  isOpen: boolean
  onClose: () => void
}

const ways = [
  { how: "append", name: "Add its text below the entry’s", hint: "The entry keeps its title, date and place." },
  { how: "supersede", name: "Replace the entry", hint: "The entry stays on record as superseded." },
] as const

export function MergeDialog({ proposal, merge, isOpen, onClose }: Properties) {
  const [nearest] = proposal.against
  const [into, setInto] = useState<string | null>(nearest?.row.id ?? null)
  const [how, setHow] = useState<MergeProposalRequest["how"]>(
    nearest?.relation === "supersedes" ? "supersede" : "append",
  )
  return (
    <Dialog
      title={`Merge “${proposal.row.title}”`}
      description="Into an active entry. You can undo this."
      isOpen={isOpen}
      onClose={onClose}
    >
      <form
        className="detail-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (into !== null) merge.mutate({ version: proposal.version, into, how })
        }}
      >
        <MergeTarget known={proposal.against.map(({ row }) => row)} chosen={into} onChoose={setInto} />
        <fieldset className="choices">
          <legend className="field-label">How?</legend>
          {ways.map((way) => (
            <label key={way.how} className="choice">
              <input type="radio" name="how" checked={how === way.how} onChange={() => setHow(way.how)} />
              <span>
                {way.name} <span className="choice-hint">{way.hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {merge.error ? <p className="field-problem">{merge.error.message}</p> : null}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={into === null || merge.isPending}>
            Merge
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
