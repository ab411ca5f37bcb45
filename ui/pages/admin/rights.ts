import type { Role, TokenScope } from "../../../src/server/api.ts"

export const tabIds = ["members", "teams", "invitations", "tokens", "projects", "audit", "organisation"] as const
export type TabId = (typeof tabIds)[number]

/** What a member may do here; signed in with a token, no more than its scopes allow. */
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

/** Which roles a member may give to a new member. */
export function rolesToInvite(own: Role): Role[] {
  if (own === "owner") return ["owner", "admin", "member", "viewer"]
  return own === "admin" ? ["admin", "member", "viewer"] : []
}

/** Which roles a member may give to another; none when they may not change that member. The last owner stays one. */
export function rolesToGive(own: Role, { role, isLastOwner }: { role: Role; isLastOwner: boolean }): Role[] {
  if (isLastOwner || (role === "owner" && own !== "owner")) return []
  return rolesToInvite(own)
}

/** Which scopes a member's token may have: never more than their own rights. */
export function scopesFor(role: Role): TokenScope[] {
  if (isAdmin(role)) return ["read", "write", "admin"]
  return role === "member" ? ["read", "write"] : ["read"]
}
