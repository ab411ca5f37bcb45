import type { ComponentProps } from "react"

type Properties = Omit<ComponentProps<"select">, "onChange" | "children"> & {
  options: { value: string; name: string }[]
  onChange: (value: string) => void
}

/** The browser's own list: it is the one that works on every phone and with every screen reader. */
export function Select({ options, onChange, className = "", ...rest }: Properties) {
  return (
    <select {...rest} className={`select ${className}`} onChange={(event) => onChange(event.target.value)}>
      {options.map(({ value, name }) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  )
}
