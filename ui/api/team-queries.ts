import { infiniteQueryOptions } from "@tanstack/react-query"
import type {
  AuditPage,
  Invitation,
  Me,
  Member,
  Organisation,
  ServerProject,
  SignInMethods,
  TeamSummary,
  Token,
} from "../../src/server/api.ts"
import { ask, withSearch } from "./ask.ts"
import { getJson } from "./fetch-json.ts"

/** What a team's server is asked about itself; its memories are asked for like one's own. */
export const meQuery = () => ask<Me>(["me"], "/v1/me")

export const organisationQuery = () => ask<Organisation>(["organisation"], "/v1/org")

export const membersQuery = () => ask<{ members: Member[] }>(["members"], "/v1/members")

export const teamsQuery = () => ask<{ teams: TeamSummary[] }>(["teams"], "/v1/teams")

export const invitationsQuery = () => ask<{ invitations: Invitation[] }>(["invitations"], "/v1/invitations")

export const tokensQuery = () => ask<{ tokens: Token[] }>(["tokens"], "/v1/tokens")

export const projectsQuery = () => ask<{ projects: ServerProject[] }>(["projects"], "/v1/projects")

/** How to sign in to an organisation; requested before sign-in. */
export const methodsQuery = (organisation: string) =>
  ask<SignInMethods>(["methods", organisation], withSearch("/v1/sign-in/methods", { org: organisation }))

const auditPageSize = 50

/** Newest first, page by page. */
export const teamAuditQuery = () =>
  infiniteQueryOptions({
    queryKey: ["team audit"],
    queryFn: ({ pageParam, signal }) =>
      getJson<AuditPage>(withSearch("/v1/audit", { after: pageParam ?? undefined, limit: auditPageSize }), signal),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  })
