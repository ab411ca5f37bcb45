import { type ReactNode, useId } from "react"

type Properties = {
  label: string
  hint?: string
  problem?: string | undefined
  /** The control, given the attributes that tie it to its label. */
  children: (attributes: FieldAttributes) => ReactNode
}

export type FieldAttributes = { id: string; "aria-describedby": string | undefined; "aria-invalid": boolean }

/** A control with its label, a hint, and what is wrong with its value. */
export function Field({ label, hint, problem, children }: Properties) {
  const id = useId()
  const note = problem ?? hint
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children({ id, "aria-describedby": note ? `${id}-note` : undefined, "aria-invalid": problem !== undefined })}
      {note ? (
        <p id={`${id}-note`} className={problem ? "field-problem" : "field-hint"}>
          {note}
        </p>
      ) : null}
    </div>
  )
}
