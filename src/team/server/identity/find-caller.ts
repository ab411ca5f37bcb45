import { one, type Steps } from "../../../store/steps.ts"
import type { Scope } from "../../api.ts"
import { type Caller, scopesOf } from "./caller.ts"
import { type MemberRow, memberColumns, toMember } from "./members.ts"
import { isHashOf, type ReadSecret } from "./secret-text.ts"

export type FoundCaller =
  | { kind: "known"; caller: Caller; lastUsed: string | null }
  /** Returned only if the secret itself is right. */
  | { kind: "ended"; how: "expired" | "revoked" }
  | { kind: "unknown" }

type PassRow = MemberRow & {
  hash: Uint8Array
  token_id: string | null
  scopes: string | null
  expires_at: string
  revoked_at: string | null
  last_used: string | null
  organisation: string
}

const statements = {
  pat: `SELECT ${memberColumns}, tokens.hash, token_id, scopes, expires_at, revoked_at, used_at AS last_used, organisations.name AS organisation
    FROM tokens JOIN members USING (tenant_id, member_id) CROSS JOIN organisations WHERE token_id = ?`,
  in: `SELECT ${memberColumns}, sign_ins.hash, sign_ins.token_id, tokens.scopes, sign_ins.expires_at, tokens.revoked_at, seen_at AS last_used,
      organisations.name AS organisation
    FROM sign_ins JOIN members USING (tenant_id, member_id) CROSS JOIN organisations
    LEFT JOIN tokens ON tokens.token_id = sign_ins.token_id WHERE sign_in_id = ?`,
}

/** Looks up the owner of a token or cookie with one query. */
export function* findCaller(secret: ReadSecret, now: string): Steps<FoundCaller> {
  if (secret.kind === "link") return { kind: "unknown" }
  const row = yield* one<PassRow>(statements[secret.kind], secret.id)
  if (!row || !isHashOf(row.hash, secret)) return { kind: "unknown" }
  const isGone = row.token_id !== null && row.scopes === null // the token that started this session
  if (isGone || row.revoked_at !== null) return { kind: "ended", how: "revoked" }
  if (row.expires_at <= now) return { kind: "ended", how: "expired" }
  const member = toMember(row)
  const allowed = scopesOf(member.role)
  const wanted: Scope[] | undefined = row.scopes === null ? undefined : JSON.parse(row.scopes)
  return {
    kind: "known",
    lastUsed: row.last_used,
    caller: {
      slug: secret.slug,
      organisation: row.organisation,
      member,
      scopes: wanted ? allowed.filter((scope) => wanted.includes(scope)) : allowed,
      via: {
        kind: secret.kind === "pat" ? "token" : "sign-in",
        id: secret.id,
        expires: row.expires_at,
        byToken: row.token_id !== null,
      },
    },
  }
}
