import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Redirect } from "wouter"
import { isSignedOut } from "../api/fetch-json.ts"
import { aboutQuery } from "../api/queries.ts"
import { signInHref } from "./sign-in-href.ts"

/** Whoever a team's server does not know signs in first, and comes back to where they wanted to be. What is open stays, for drafts are in it. */
export function Entrance({ children }: { children: ReactNode }) {
  const { data, error } = useQuery(aboutQuery())
  if (!data && isSignedOut(error)) return <Redirect to={signInHref(location)} replace />
  return children
}
