import type { ReactNode } from "react"

/** Where a list would be: why there is none, and what to do. */
export function EmptyState({ title, hint, children }: { title: string; hint?: ReactNode; children?: ReactNode }) {
  return (
    <div className="empty-state">
      <p className="empty-state-title">{title}</p>
      {hint ? <p className="empty-state-hint">{hint}</p> : null}
      {children}
    </div>
  )
}
