import type { Role, TokenScope } from "../../../src/server/api.ts"

export const tabIds = ["members", "teams", "invitations", "tokens", "projects", "audit", "organisation"] as const
export type TabId = (typeof tabIds)[number]

/** What somebody may do here: who has signed in with a token may do no more than that is good for. */
export function roleWith(role: Role, scopes: readonly TokenScope[]): Role {
  if (isAdmin(role) && scopes.includes("admin")) return role
  return role !== "viewer" && scopes.includes("write") ? "member" : "viewer"
}

/** Everybody sees who is in the organisation, and their own tokens. */
export function tabsFor(role: Role): readonly TabId[] {
  return isAdmin(role) ? tabIds : tabIds.filter((tab) => tab === "members" || tab === "tokens")
}

export function isAdmin(role: Role): boolean {
  return role === "owner" || role === "admin"
}

/** Which roles somebody may give to a new member. */
export function rolesToInvite(own: Role): Role[] {
  if (own === "owner") return ["owner", "admin", "member", "viewer"]
  return own === "admin" ? ["admin", "member", "viewer"] : []
}

/** Which roles somebody may give to a member; none when the member is not theirs to change. The last owner stays one. */
export function rolesToGive(own: Role, { role, isLastOwner }: { role: Role; isLastOwner: boolean }): Role[] {
  if (isLastOwner || (role === "owner" && own !== "owner")) return []
  return rolesToInvite(own)
}

/** What a token of somebody's may be good for: never more than they themselves may do. */
export function scopesFor(role: Role): TokenScope[] {
  if (isAdmin(role)) return ["read", "write", "admin"]
  return role === "member" ? ["read", "write"] : ["read"]
}
