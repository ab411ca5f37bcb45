import { run, type Steps } from "../../../store/steps.ts"
import { tellRevoked } from "./revoke.ts"
import { makeSecret } from "./secret-text.ts"
import { addTeamAudit } from "./team-audit.ts"

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
  yield* tellRevoked(slug)
}
