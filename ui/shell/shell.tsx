import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { aboutQuery } from "../api/queries.ts"
import { ConnectionNotice } from "./connection-notice.tsx"
import { Navigation } from "./navigation.tsx"
import { ThemeSwitch } from "./theme-switch.tsx"

/** What is around every page. */
export function Shell({ children }: { children: ReactNode }) {
  const { data: about } = useQuery(aboutQuery())
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <header className="shell-side">
        <div className="shell-project" title={about?.root}>
          <span className="shell-name">Drey</span>
          <span className="shell-repository">{about?.project ?? ""}</span>
        </div>
        <Navigation />
        <div className="shell-foot">
          <ThemeSwitch />
          {about ? <span className="shell-version">{about.version}</span> : null}
        </div>
      </header>
      <div className="shell-main">
        <ConnectionNotice />
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  )
}
