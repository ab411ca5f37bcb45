import { useState } from "react"
import { Button } from "./button.tsx"
import { ConfirmDialog } from "./confirm-dialog.tsx"

type Properties = {
  name: string
  /** What the button is for, for users who do not see its row: "Remove Kim". */
  label: string
  title: string
  description: string
  isBusy: boolean
  onConfirm: () => void
}

/** A button for what cannot be undone: it asks first. */
export function ConfirmedButton({ name, label, title, description, isBusy, onConfirm }: Properties) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="danger" aria-label={label} onClick={() => setOpen(true)}>
        {name}
      </Button>
      <ConfirmDialog
        title={title}
        description={description}
        confirm={name}
        isOpen={isOpen}
        isBusy={isBusy}
        onConfirm={() => {
          setOpen(false)
          onConfirm()
        }}
        onClose={() => setOpen(false)}
      />
    </>
  )
}
