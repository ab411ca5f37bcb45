import type { Reach } from "../../../disk/postgres/driver.ts"
import type { Memory } from "../../../store/memory.ts"
import { tenantIdOf } from "../../../store/postgres/tenant-id.ts"
import { type Member, type Role, roles, type Scope, scopes } from "../../api.ts"

/** Who asks, as the database knows him. */
export type Caller = {
  slug: string
  organisation: string
  member: Member
  scopes: readonly Scope[]
  /** `byToken`: he holds a token, or has signed a browser in with one. */
  via: { kind: "token" | "sign-in"; id: string; expires: string; byToken: boolean }
}

/** What a role may do at most, whatever its tokens say. */
export function scopesOf(role: Role): readonly Scope[] {
  if (role === "viewer") return ["read"]
  return role === "member" ? ["read", "write"] : scopes
}

/** Whether a role is at least another: owner, admin, member, viewer. */
export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(least)
}

/** What is everybody's, and what is his teams'. */
export function reachOf({ slug, member }: Pick<Caller, "slug" | "member">): Reach {
  return { tenant: tenantIdOf(slug), teams: member.teams }
}

/** Who administers sees the memories of all teams where he looks after them; what he is handed as a member is his teams' alone. */
export function wideReachOf(caller: Caller): Reach {
  const mayAdminister = isAtLeast(caller.member.role, "admin") && caller.scopes.includes("admin")
  return mayAdminister ? wholeOf(caller.slug) : reachOf(caller)
}

/** Whether something is everybody's, or one of his teams'. */
export function canSee({ member }: Pick<Caller, "member">, { owner }: Pick<Memory, "owner">): boolean {
  return owner.type !== "team" || member.teams.includes(owner.id)
}

/** All of an organisation, for the server's own work. */
export function wholeOf(slug: string): Reach {
  return { tenant: tenantIdOf(slug), teams: "all" }
}
