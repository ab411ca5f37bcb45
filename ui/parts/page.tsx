import { type ReactNode, useEffect } from "react"

type Properties = { title: string; actions?: ReactNode; children: ReactNode }

/** A page's heading, what can be done on it, and its content. */
export function Page({ title, actions, children }: Properties) {
  usePageTitle(title)
  return (
    <div className="page">
      <header className="page-head">
        <h1>{title}</h1>
        {actions ? <div className="page-actions">{actions}</div> : null}
      </header>
      {children}
    </div>
  )
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Drey`
  }, [title])
}
