import { all, one, run, type Steps } from "../../memories/steps.ts"
import type { Member, Role } from "../api.ts"
import { refuse, refuseUnknown } from "../refusal.ts"
import { isAtLeast, type TeamCaller } from "./caller.ts"
import { notifyRevoked } from "./credentials.ts"
import { addTeamAudit } from "./team-audit.ts"

export type MemberRow = {
  member_id: string
  name: string
  email: string
  role: Role
  joined_at: string
  seen_at: string | null
  teams: string
}

/** Columns of `members`; teams as a comma-separated list. */
export const memberColumns = `members.member_id, members.name, members.email, members.role, members.joined_at, members.seen_at,
  (SELECT coalesce(string_agg(team_id, ',' ORDER BY team_id), '') FROM team_members WHERE team_members.member_id = members.member_id) AS teams`

export function toMember({ member_id, name, email, role, joined_at, seen_at, teams }: MemberRow): Member {
  return {
    id: member_id,
    name,
    email,
    role,
    teams: teams === "" ? [] : teams.split(","),
    joined: joined_at,
    lastSeen: seen_at,
  }
}

export function* listMembers(): Steps<Member[]> {
  const rows = yield* all<MemberRow>(`SELECT ${memberColumns} FROM members ORDER BY lower(name), member_id`)
  return rows.map(toMember)
}

export function* memberById(id: string): Steps<Member | undefined> {
  const row = yield* one<MemberRow>(`SELECT ${memberColumns} FROM members WHERE member_id = ?`, id)
  return row && toMember(row)
}

export function* memberByEmail(email: string): Steps<Member | undefined> {
  if (email === "") return undefined
  const row = yield* one<MemberRow>(
    `SELECT ${memberColumns} FROM members WHERE lower(email) = lower(?) AND email <> ''`,
    email,
  )
  return row && toMember(row)
}

export type MemberChange = { role?: Role | undefined; name?: string | undefined }

export function* changeMember(caller: TeamCaller, id: string, change: MemberChange, now: string): Steps<Member> {
  const member = yield* memberById(id)
  if (!member) return refuseUnknown("member")
  const { role = member.role, name = member.name } = change
  if (role !== member.role) yield* checkOwners(caller, member, role)
  yield* run("UPDATE members SET role = ?, name = ? WHERE member_id = ?", role, name, id)
  if (name !== member.name)
    yield* run(
      "UPDATE memories SET contributed_by = ?, version = version + 1, updated_at = ? WHERE contributor_id = ?",
      name,
      now,
      id,
    )
  const action = role === member.role ? "member renamed" : `member made ${role}`
  yield* addTeamAudit({ actor: caller.member.name, action, subject: id }, now)
  yield* notifyRevoked(caller.slug)
  return { ...member, role, name }
}

/** Deletes the member's tokens and sessions. Shared memories stay, attributed to them. */
export function* removeMember(caller: TeamCaller, id: string, now: string): Steps<void> {
  const member = yield* memberById(id)
  if (!member) return refuseUnknown("member")
  yield* checkOwners(caller, member, undefined)
  yield* run("DELETE FROM members WHERE member_id = ?", id)
  yield* addTeamAudit({ actor: caller.member.name, action: "member removed", subject: id }, now)
  yield* notifyRevoked(caller.slug)
}

/** Only owners can add or remove owners, and one must remain. `becomes`: undefined when the member is removed. */
function* checkOwners(caller: TeamCaller, member: Member, becomes: Role | undefined): Steps<void> {
  if (member.role !== "owner" && becomes !== "owner") return
  if (!isAtLeast(caller.member.role, "owner")) refuse(403, "owner-needed", "Only an owner can do this.")
  if (member.role !== "owner") return
  const owners = yield* one<{ owners: number }>("SELECT count(*) AS owners FROM members WHERE role = 'owner'")
  if ((owners?.owners ?? 0) <= 1)
    refuse(409, "last-owner", "This is the last owner. Make another member an owner first.")
}
