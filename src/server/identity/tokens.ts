import { all, one, run, type Steps } from "../../memories/steps.ts"
import type { CreatedToken, Token, TokenScope } from "../api.ts"
import { refuse, refuseUnknown } from "../refusal.ts"
import { isAtLeast, scopesOf, type TeamCaller } from "./caller.ts"
import { makeSecret, notifyRevoked } from "./credentials.ts"
import { addTeamAudit } from "./team-audit.ts"

type TokenRow = Omit<Token, "scopes"> & { scopes: string }

const tokenColumns = `token_id AS id, name, scopes, member_id AS member, created_at AS created, expires_at AS expires,
  used_at AS "lastUsed", hint`

function toToken(row: TokenRow): Token {
  return { ...row, scopes: JSON.parse(row.scopes) }
}

/** The caller's tokens; for administrators, everyone's. */
export function* listTokens(caller: TeamCaller): Steps<Token[]> {
  const rows = yield* all<TokenRow>(
    `SELECT ${tokenColumns} FROM tokens WHERE revoked_at IS NULL AND (CAST(:own AS TEXT) IS NULL OR member_id = :own)
     ORDER BY created_at DESC, token_id`,
    { own: mayAdminister(caller) ? null : caller.member.id },
  )
  return rows.map(toToken)
}

export type NewToken = { name: string; scopes: readonly TokenScope[]; days: number }

/** The secret is returned only here. */
export function* makeToken(caller: TeamCaller, { name, scopes, days }: NewToken, now: Date): Steps<CreatedToken> {
  if (caller.via.byToken && !caller.scopes.includes("admin"))
    refuse(403, "sign-in-needed", "A token cannot create other tokens. Sign in with a browser.") // a stolen token could otherwise outlive its expiry
  const allowed = scopesOf(caller.member.role).filter((scope) => caller.scopes.includes(scope))
  if (scopes.some((scope) => !allowed.includes(scope)))
    refuse(403, "scope-too-wide", `You can grant only these scopes: ${allowed.join(", ")}.`)
  const { id, text, hash, hint } = makeSecret("pat", caller.slug)
  const created = now.toISOString()
  const expires = new Date(now.getTime() + days * 86_400_000).toISOString()
  yield* run(
    `INSERT INTO tokens (token_id, member_id, name, hash, hint, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    caller.member.id,
    name,
    hash,
    hint,
    JSON.stringify(scopes),
    created,
    expires,
  )
  yield* addTeamAudit(
    { actor: caller.member.name, action: "token made", subject: id, reason: scopes.join(" ") },
    created,
  )
  const token = { id, name, scopes: [...scopes], member: caller.member.id, created, expires, lastUsed: null, hint }
  return { token, secret: text }
}

export function* revokeToken(caller: TeamCaller, id: string, now: string): Steps<void> {
  const token = yield* one<{ member: string }>(
    "SELECT member_id AS member FROM tokens WHERE token_id = ? AND revoked_at IS NULL",
    id,
  )
  if (!token || (token.member !== caller.member.id && !mayAdminister(caller))) return refuseUnknown("token")
  yield* run("UPDATE tokens SET revoked_at = ? WHERE token_id = ?", now, id)
  yield* addTeamAudit({ actor: caller.member.name, action: "token revoked", subject: id }, now)
  yield* notifyRevoked(caller.slug)
}

function mayAdminister({ member, scopes }: TeamCaller): boolean {
  return isAtLeast(member.role, "admin") && scopes.includes("admin")
}

const days = 14

/** A new browser session: its cookie and expiry. */
export type SignIn = { cookie: string; expires: Date }

export type SigningIn = {
  slug: string
  member: { id: string; name: string }
  /** The token used to sign in: the session has the same scopes and ends with it. */
  token?: { id: string; expires: string }
}

export function* signIn({ slug, member, token }: SigningIn, now: Date): Steps<SignIn> {
  const { id, text, hash } = makeSecret("in", slug)
  const longest = now.getTime() + days * 86_400_000
  const expires = new Date(token ? Math.min(longest, Date.parse(token.expires)) : longest)
  yield* run(
    "INSERT INTO sign_ins (sign_in_id, member_id, token_id, hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
    id,
    member.id,
    token?.id ?? null,
    hash,
    now.toISOString(),
    expires.toISOString(),
  )
  yield* addTeamAudit({ actor: member.name, action: "signed in", subject: member.id }, now.toISOString())
  return { cookie: text, expires }
}

export function* signOut(slug: string, id: string): Steps<void> {
  yield* run("DELETE FROM sign_ins WHERE sign_in_id = ?", id)
  yield* notifyRevoked(slug)
}
