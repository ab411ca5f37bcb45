import type { ReactNode } from "react"

type Properties = {
  isChecked: boolean
  onChange: (isChecked: boolean) => void
  isBusy?: boolean
  /** For users who do not see its row. */
  label?: string
  children: ReactNode
}

/** Something that is so or is not. */
export function CheckField({ isChecked, onChange, isBusy = false, label, children }: Properties) {
  return (
    <label className="check-field">
      <input
        type="checkbox"
        checked={isChecked}
        aria-label={label}
        aria-disabled={isBusy || undefined}
        onChange={(event) => (isBusy ? undefined : onChange(event.target.checked))}
      />
      <span>{children}</span>
    </label>
  )
}
