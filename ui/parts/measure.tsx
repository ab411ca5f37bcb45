import type { ReactNode } from "react"
import { Link } from "wouter"

type Properties = {
  value: ReactNode
  name: string
  /** What the figure means, for first-time users. */
  meaning: string
  /** Where that which was counted is shown. */
  href?: string
}

/** A figure with its name and what it means. */
export function Measure({ value, name, meaning, href }: Properties) {
  return (
    <div className="measure">
      <dt className="measure-name">{href ? <Link href={href}>{name}</Link> : name}</dt>
      <dd className="measure-value">{value}</dd>
      <dd className="measure-meaning">{meaning}</dd>
    </div>
  )
}

export function Measures({ children }: { children: ReactNode }) {
  return <dl className="measures">{children}</dl>
}
