import { useQuery } from "@tanstack/react-query"
import Undo2 from "lucide-react/icons/undo-2"
import { useState } from "react"
import { undoQuery } from "../api/queries.ts"
import { IconButton } from "../parts/icon-button.tsx"
import { UndoDialog } from "./undo-dialog.tsx"

/** Undoes the last change, also when its notice is gone. */
export function UndoLast() {
  const { data: offer } = useQuery(undoQuery())
  const [isOpen, setOpen] = useState(false)
  if (!offer) return null
  return (
    <>
      <IconButton name="Undo the last change" icon={<Undo2 size={16} aria-hidden />} onClick={() => setOpen(true)} />
      <UndoDialog offer={offer} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}
