import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Redirect } from "wouter"
import { isSignedOut, needsLink } from "../api/fetch-json.ts"
import { aboutQuery } from "../api/queries.ts"
import { FrontPage } from "../parts/front-page.tsx"
import { signInHref } from "./sign-in-href.ts"

/** Unknown users of a team server sign in first, and return to the page they asked for. Open pages stay mounted, since they contain drafts. */
export function Entrance({ children }: { children: ReactNode }) {
  const { data, error } = useQuery(aboutQuery())
  if (!data && isSignedOut(error)) return <Redirect to={signInHref(location)} replace />
  if (!data && needsLink(error))
    return (
      <FrontPage title="This link is no longer valid">
        <p>
          Each link works once, for one browser. Run <code>drey ui</code> again for a new one.
        </p>
      </FrontPage>
    )
  return children
}
