import { Button } from "./button.tsx"
import { Dialog } from "./dialog.tsx"

type Properties = {
  title: string
  /** What comes of it. */
  description: string
  /** The label of the confirming button. */
  confirm: string
  isOpen: boolean
  isBusy: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, description, confirm, isOpen, isBusy, onConfirm, onClose }: Properties) {
  return (
    <Dialog title={title} description={description} isOpen={isOpen} onClose={onClose}>
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" aria-disabled={isBusy} onClick={() => (isBusy ? undefined : onConfirm())}>
          {confirm}
        </Button>
      </div>
    </Dialog>
  )
}
