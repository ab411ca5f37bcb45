import type { ReactNode } from "react"
import { usePageTitle } from "./page.tsx"

/** A page outside of the app: who is not in it yet has nothing else to go to. */
export function FrontPage({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title)
  return (
    <main className="front">
      <div className="front-card">
        <p className="shell-name">Drey</p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
