import { randomBytes } from "node:crypto"
import { all, one, run, type Steps } from "../../memories/steps.ts"
import type { Invitation, LinkPreview, Member, Role } from "../api.ts"
import { refuse, refuseUnknown } from "../refusal.ts"
import { isAtLeast, type TeamCaller } from "./caller.ts"
import { isHashOf, makeSecret, notifyRevoked, type ReadSecret } from "./credentials.ts"
import { memberByEmail, memberById } from "./members.ts"
import { addTeamAudit } from "./team-audit.ts"

const daysOpen = 7

type InvitationRow = {
  id: string
  hash: Uint8Array
  email: string
  role: Role
  team_ids: string
  created: string
  expires: string
  invitedBy: string
}

const invitationColumns = `invitation_id AS id, hash, email, role, team_ids, created_at AS created, expires_at AS expires,
  invited_by AS "invitedBy"`

function toInvitation({ hash: _, team_ids, ...row }: InvitationRow): Invitation {
  return { ...row, teams: JSON.parse(team_ids) }
}

/** Unused invitations, open or expired, of people who have not joined through another one. */
export function* listInvitations(): Steps<Invitation[]> {
  const rows = yield* all<InvitationRow>(
    `SELECT ${invitationColumns} FROM invitations
     WHERE used_at IS NULL AND NOT EXISTS (
       SELECT 1 FROM members
       WHERE members.email <> '' AND lower(members.email) = lower(invitations.email) AND joined_at >= invitations.created_at)
     ORDER BY created_at DESC, invitation_id`,
  )
  return rows.map(toInvitation)
}

export type NewInvitation = { email: string; role: Role; teams: readonly string[] }

/** Creates a single-use invitation; its secret is returned only here. */
export function* invite(
  caller: TeamCaller,
  { email, role, teams }: NewInvitation,
  now: Date,
): Steps<{ invitation: Invitation; secret: string }> {
  if (role === "owner" && !isAtLeast(caller.member.role, "owner"))
    refuse(403, "owner-needed", "Only an owner can invite owners.")
  if (yield* memberByEmail(email)) refuseMember()
  for (const team of teams) if (!(yield* one("SELECT 1 FROM teams WHERE team_id = ?", team))) refuseUnknown("team")
  const made = yield* addInvitation(caller.slug, { email, role, teams, invitedBy: caller.member.name }, now)
  const act = { actor: caller.member.name, action: `invited as ${role}`, subject: made.invitation.id }
  yield* addTeamAudit(act, now.toISOString())
  return made
}

/** For the operator: a link for the first owner, or a new one if it was lost. Unlike invitations, it also works for members. */
export function* inviteOwner(slug: string, email: string, now: Date): Steps<string> {
  const made = yield* addInvitation(slug, { email, role: "owner", teams: [], invitedBy: "the server" }, now)
  const act = { actor: "the server", action: "invited as owner", subject: made.invitation.id }
  yield* addTeamAudit(act, now.toISOString())
  return made.secret
}

function* addInvitation(
  slug: string,
  { email, role, teams, invitedBy }: NewInvitation & { invitedBy: string },
  now: Date,
): Steps<{ invitation: Invitation; secret: string }> {
  const { id, text, hash } = makeSecret("link", slug)
  const created = now.toISOString()
  const expires = new Date(now.getTime() + daysOpen * 86_400_000).toISOString()
  yield* run(
    `INSERT INTO invitations (invitation_id, hash, email, role, team_ids, invited_by, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    hash,
    email,
    role,
    JSON.stringify(teams),
    invitedBy,
    created,
    expires,
  )
  return { invitation: { id, email, role, teams: [...teams], created, expires, invitedBy }, secret: text }
}

export function* withdrawInvitation(caller: TeamCaller, id: string, now: string): Steps<void> {
  if ((yield* run("DELETE FROM invitations WHERE invitation_id = ? AND used_at IS NULL", id)) === 0)
    refuseUnknown("invitation")
  yield* addTeamAudit({ actor: caller.member.name, action: "invitation withdrawn", subject: id }, now)
}

/** Previews a link without using it. */
export function* previewLink(secret: ReadSecret, now: string): Steps<LinkPreview> {
  const { email, role } = yield* openInvitation(secret, now)
  const organisation = yield* one<{ slug: string; name: string }>("SELECT slug, name FROM organisations")
  return organisation ? { organisation, role, email } : refuseLink()
}

/** Redeems a link and returns the new member. */
export function* acceptLink(secret: ReadSecret, name: string | undefined, now: string): Steps<Member> {
  const invitation = yield* openInvitation(secret, now)
  return yield* acceptInvitation(secret.slug, invitation, { name, subject: undefined }, now)
}

/** Redeems the invitation for an address that an identity provider has verified. */
export function* acceptByEmail(
  slug: string,
  who: { email: string; name: string | undefined; subject: string },
  now: string,
): Steps<Member | undefined> {
  const row = yield* one<InvitationRow>(
    `SELECT ${invitationColumns} FROM invitations
     WHERE lower(email) = lower(?) AND used_at IS NULL AND expires_at > ? ORDER BY created_at DESC LIMIT 1`,
    who.email,
    now,
  )
  return row && (yield* acceptInvitation(slug, toInvitation(row), who, now))
}

function* openInvitation(secret: ReadSecret, now: string): Steps<Invitation> {
  const row = yield* one<InvitationRow>(
    `SELECT ${invitationColumns} FROM invitations WHERE invitation_id = ? AND used_at IS NULL`,
    secret.id,
  )
  if (secret.kind !== "link" || !row || !isHashOf(row.hash, secret)) return refuseLink()
  const member = yield* memberByEmail(row.email)
  if (member && member.joined >= row.created) return refuseMember() // otherwise it is an owner link for an existing member
  return row.expires > now ? toInvitation(row) : refuseLink()
}

function refuseMember(): never {
  return refuse(409, "already-member", "This person is already a member.")
}

export function refuseLink(): never {
  return refuse(401, "link-invalid", "This link has been used, has expired or is invalid. Ask for a new one.")
}

function* acceptInvitation(
  slug: string,
  { id, email, role, teams }: Invitation,
  { name, subject }: { name: string | undefined; subject: string | undefined },
  now: string,
): Steps<Member> {
  yield* run("UPDATE invitations SET used_at = ? WHERE invitation_id = ?", now, id)
  const known = yield* memberByEmail(email)
  const member = known?.id ?? `u-${randomBytes(8).toString("hex")}`
  if (known) yield* run("UPDATE members SET role = ? WHERE member_id = ?", role, member)
  else
    yield* run(
      "INSERT INTO members (member_id, email, name, role, subject, joined_at) VALUES (?, ?, ?, ?, ?, ?)",
      member,
      email,
      name ?? (email.split("@")[0] || role),
      role,
      subject ?? null,
      now,
    )
  for (const team of teams)
    yield* run(
      `INSERT INTO team_members (team_id, member_id) SELECT team_id, ? FROM teams WHERE team_id = ? ON CONFLICT DO NOTHING`,
      member,
      team,
    )
  yield* endOthers(email, now)
  const joined = yield* memberById(member)
  if (!joined) throw new Error("a member that was just added is gone")
  yield* addTeamAudit({ actor: joined.name, action: `joined as ${role}`, subject: member, reason: id }, now)
  yield* notifyRevoked(slug)
  return joined
}

/** Other links for this address must not work any more, even after the member is removed. */
function* endOthers(email: string, now: string): Steps<void> {
  yield* run(
    `UPDATE invitations SET expires_at = :now
     WHERE used_at IS NULL AND expires_at > :now AND lower(email) = lower(:email) AND email <> ''`,
    { email, now },
  )
}
