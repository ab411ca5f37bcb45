import type { Reach } from "../../../disk/postgres/driver.ts"
import type { Memory } from "../../../store/memory.ts"
import { tenantIdOf } from "../../../store/postgres/tenant-id.ts"
import { type Member, type Role, roles, type Scope, scopes } from "../../api.ts"

/** The authenticated member behind a request. */
export type Caller = {
  slug: string
  organisation: string
  member: Member
  scopes: readonly Scope[]
  /** `byToken`: authenticated with a token, or with a browser session started by one. */
  via: { kind: "token" | "sign-in"; id: string; expires: string; byToken: boolean }
}

/** The maximum scopes of a role; tokens cannot exceed them. */
export function scopesOf(role: Role): readonly Scope[] {
  if (role === "viewer") return ["read"]
  return role === "member" ? ["read", "write"] : scopes
}

/** Roles from highest to lowest: owner, admin, member, viewer. */
export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(least)
}

/** The organisation's memories and those of the member's teams. */
export function reachOf({ slug, member }: Pick<Caller, "slug" | "member">): Reach {
  return { tenant: tenantIdOf(slug), teams: member.teams }
}

/** Admins can list every team's memories, but their own contexts only use teams they belong to. */
export function wideReachOf(caller: Caller): Reach {
  const mayAdminister = isAtLeast(caller.member.role, "admin") && caller.scopes.includes("admin")
  return mayAdminister ? wholeOf(caller.slug) : reachOf(caller)
}

/** Whether a memory belongs to the organisation or to one of the member's teams. */
export function canSee({ member }: Pick<Caller, "member">, { owner }: Pick<Memory, "owner">): boolean {
  return owner.type !== "team" || member.teams.includes(owner.id)
}

/** Everything of an organisation, for the server's own work. */
export function wholeOf(slug: string): Reach {
  return { tenant: tenantIdOf(slug), teams: "all" }
}
