import type { TenantScope } from "../../disk/postgres/driver.ts"
import type { Memory } from "../../memories/memory.ts"
import { tenantIdOf } from "../../memories/postgres/tenancy.ts"
import { type Me, type Member, type Role, roles, scopes, type TokenScope } from "../api.ts"

/** The authenticated member behind a request. */
export type TeamCaller = {
  slug: string
  organisation: string
  member: Member
  scopes: readonly TokenScope[]
  /** `byToken`: authenticated with a token, or with a browser session started by one. */
  via: { kind: "token" | "sign-in"; id: string; expires: string; byToken: boolean }
}

/** The maximum scopes of a role; tokens cannot exceed them. */
export function scopesOf(role: Role): readonly TokenScope[] {
  if (role === "viewer") return ["read"]
  return role === "member" ? ["read", "write"] : scopes
}

/** Roles from highest to lowest: owner, admin, member, viewer. */
export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(least)
}

/** The organisation's memories and those of the member's teams. */
export function reachOf({ slug, member }: Pick<TeamCaller, "slug" | "member">): TenantScope {
  return { tenant: tenantIdOf(slug), teams: member.teams }
}

/** Admins can list every team's memories, but their own contexts only use teams they belong to. */
export function adminReachOf(caller: TeamCaller): TenantScope {
  const mayAdminister = isAtLeast(caller.member.role, "admin") && caller.scopes.includes("admin")
  return mayAdminister ? wholeOf(caller.slug) : reachOf(caller)
}

/** Whether a memory belongs to the organisation or to one of the member's teams. */
export function canSee({ member }: Pick<TeamCaller, "member">, { owner }: Pick<Memory, "owner">): boolean {
  return owner.type !== "team" || member.teams.includes(owner.id)
}

/** Everything of an organisation, for the server's own work. */
export function wholeOf(slug: string): TenantScope {
  return { tenant: tenantIdOf(slug), teams: "all" }
}

export function describeMe({ slug, organisation, member, scopes }: TeamCaller, version: string): Me {
  return { organisation: { slug, name: organisation }, member, scopes: [...scopes], server: version }
}
