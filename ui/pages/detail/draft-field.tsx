import { Field } from "../../parts/field.tsx"

type Properties = {
  label: string
  hint?: string
  value: string
  onChange: (value: string) => void
  isRequired?: boolean
}

export function DraftField({ label, hint, value, onChange, isRequired = false }: Properties) {
  return (
    <Field label={label} {...(hint ? { hint } : {})}>
      {(attributes) => (
        <input
          {...attributes}
          className="input"
          required={isRequired}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
