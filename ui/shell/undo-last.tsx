import { useQuery } from "@tanstack/react-query"
import Undo2 from "lucide-react/icons/undo-2"
import { useState } from "react"
import { undoQuery } from "../api/queries.ts"
import { useUndo } from "../api/use-undo.ts"
import { Button } from "../parts/button.tsx"
import { Dialog } from "../parts/dialog.tsx"
import { IconButton } from "../parts/icon-button.tsx"
import { Time } from "../parts/time.tsx"

/** Takes back the last change, also when its notice is gone. It may be anybody's, so that the person is asked first. */
export function UndoLast() {
  const { data: offer } = useQuery(undoQuery())
  const [isOpen, setOpen] = useState(false)
  const undo = useUndo()
  if (!offer) return null
  const takeBack = () => {
    setOpen(false)
    undo(offer)
  }
  return (
    <>
      <IconButton name="Undo the last change" icon={<Undo2 size={16} aria-hidden />} onClick={() => setOpen(true)} />
      <Dialog title="Take back the last change?" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>
          {offer.summary} <Time at={offer.at} />
        </p>
        <div className="dialog-actions">
          <Button onClick={() => setOpen(false)}>Leave it</Button>
          <Button look="primary" onClick={takeBack}>
            Take it back
          </Button>
        </div>
      </Dialog>
    </>
  )
}
