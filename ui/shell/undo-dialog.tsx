import type { UndoAnswer } from "../../src/recall/browse/app-api.ts"
import { useUndo } from "../api/use-undo.ts"
import { Button } from "../parts/button.tsx"
import { Dialog } from "../parts/dialog.tsx"
import { Time } from "../parts/time.tsx"

type Properties = { offer: UndoAnswer; isOpen: boolean; onClose: () => void }

/** The last change may be another user's, so it is confirmed first. */
export function UndoDialog({ offer, isOpen, onClose }: Properties) {
  const undo = useUndo()
  const takeBack = () => {
    onClose()
    undo(offer)
  }
  return (
    <Dialog title="Undo the last change?" isOpen={isOpen} onClose={onClose}>
      <p>
        {offer.summary} <Time at={offer.at} />
      </p>
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" onClick={takeBack}>
          Undo
        </Button>
      </div>
    </Dialog>
  )
}
