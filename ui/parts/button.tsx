import type { ComponentProps } from "react"

type Properties = ComponentProps<"button"> & {
  /** `primary` is the one thing to do here; `quiet` has no frame; `danger` ends something. */
  look?: "plain" | "primary" | "quiet" | "danger"
}

export function Button({ look = "plain", className = "", ...rest }: Properties) {
  return <button type="button" {...rest} className={`button button-${look} ${className}`} />
}
