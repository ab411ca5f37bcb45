import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { aboutQuery } from "../api/queries.ts"
import { ConnectionNotice } from "./connection-notice.tsx"
import { KeysDialog } from "./keys-dialog.tsx"
import { MainPart } from "./main-part.tsx"
import { Navigation } from "./navigation.tsx"
import { SignedIn } from "./signed-in.tsx"
import { ThemeSwitch } from "./theme-switch.tsx"
import { UndoLast } from "./undo-last.tsx"

/** What is around every page. */
export function Shell({ children }: { children: ReactNode }) {
  const { data: about } = useQuery(aboutQuery())
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <header className="shell-side">
        <div className="shell-project" title={about?.root || undefined}>
          <span className="shell-name">
            Drey <span className="shell-version">{about?.version ?? ""}</span>
          </span>
          <span className="shell-repository">{about?.project ?? ""}</span>
        </div>
        <Navigation />
        <div className="shell-foot">
          {about?.team ? <SignedIn team={about.team} /> : null}
          <div className="shell-tools">
            <ThemeSwitch />
            <UndoLast />
            <KeysDialog />
          </div>
        </div>
      </header>
      <div className="shell-main">
        <ConnectionNotice />
        <MainPart>{children}</MainPart>
      </div>
    </div>
  )
}
