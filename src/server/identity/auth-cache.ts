import type { PostgresDriver } from "../../disk/postgres/driver.ts"
import { postgresSession } from "../../memories/postgres/postgres-store.ts"
import { tenantIdOf } from "../../memories/postgres/tenancy.ts"
import { one, run, type Steps } from "../../memories/steps.ts"
import type { TokenScope } from "../api.ts"
import { scopesOf, type TeamCaller, wholeOf } from "./caller.ts"
import { isHashOf, type ReadSecret, readSecret, revokedChannel } from "./credentials.ts"
import { type MemberRow, memberColumns, toMember } from "./members.ts"

/** Looks up the caller of a token or cookie. */
export type AuthCache = {
  callerOf(secret: string): Promise<FoundCaller>
  /** Whether the secret is cached as valid; does not query the database. */
  isFamiliar(secret: string): boolean
  /** Called with the tenant id whenever something in an organisation is revoked. */
  onRevoked(hear: (tenant: string) => void): void
  /** Invalidates an organisation's cached lookups. */
  forget(slug: string): void
  close(): Promise<void>
}

export type PassOptions = {
  driver: PostgresDriver
  now: () => Date
  /** Reports errors of background writes. */
  warn: (message: string, error: unknown) => void
}

const rememberedMs = 5000
const mostRemembered = 10_000
/** How often "last seen" is updated. */
const notedEveryMs = 60_000

type Remembered = { found: FoundCaller; tenant: string; until: number }

/** Caches lookups for a few seconds; invalidated by NOTIFY when anything is revoked. */
export async function openAuthCache({ driver, now, warn }: PassOptions): Promise<AuthCache> {
  const remembered = new Map<string, Remembered>()
  const listeners = new Set<(tenant: string) => void>()
  const noting = new Set<Promise<void>>()
  let revocations = 0
  const forgetTenant = (tenant: string) => {
    revocations++
    for (const [key, each] of remembered) if (each.tenant === tenant) remembered.delete(key)
  }
  const stop = await driver.listen(revokedChannel, (tenant) => {
    forgetTenant(tenant)
    for (const hear of listeners) hear(tenant)
  })
  const note = (secret: ReadSecret, found: Extract<FoundCaller, { kind: "known" }>) => {
    const at = now()
    if (found.lastUsed !== null && at.getTime() - Date.parse(found.lastUsed) < notedEveryMs) return
    const work = postgresSession(driver, wholeOf(secret.slug))
      .write(() => noteSeen(found, at))
      .catch((error) => warn("the last-seen time could not be stored", error))
      .finally(() => noting.delete(work))
    noting.add(work)
  }
  return {
    async callerOf(text) {
      const secret = readSecret(text)
      if (!secret) return { kind: "unknown" }
      const key = secret.hash.toString("base64")
      const known = remembered.get(key)
      const at = now()
      if (known && known.until > at.getTime()) return known.found
      const tenant = tenantIdOf(secret.slug)
      const session = postgresSession(driver, wholeOf(secret.slug))
      const before = revocations
      const found = await session.read(() => findCaller(secret, at.toISOString()))
      if (found.kind !== "known") return found
      note(secret, found)
      if (revocations !== before) return found // not cached: this secret may have been revoked meanwhile
      if (remembered.size >= mostRemembered) remembered.clear()
      const ends = Date.parse(found.caller.via.expires)
      remembered.set(key, { found, tenant, until: Math.min(at.getTime() + rememberedMs, ends) })
      return found
    },
    isFamiliar(text) {
      const secret = readSecret(text)
      return secret !== undefined && remembered.has(secret.hash.toString("base64"))
    },
    onRevoked: (hear) => void listeners.add(hear),
    forget: (slug) => forgetTenant(tenantIdOf(slug)),
    async close() {
      await Promise.all(noting)
      await stop()
    },
  }
}

function* noteSeen({ caller, lastUsed }: Extract<FoundCaller, { kind: "known" }>, now: Date): Steps<void> {
  const at = now.toISOString()
  const { via, member } = caller
  yield* run("UPDATE members SET seen_at = ? WHERE member_id = ?", at, member.id)
  if (via.kind === "token")
    yield* run(
      "UPDATE tokens SET used_at = ? WHERE token_id = ? AND used_at IS NOT DISTINCT FROM ?",
      at,
      via.id,
      lastUsed,
    )
}

type FoundCaller =
  | { kind: "known"; caller: TeamCaller; lastUsed: string | null }
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
function* findCaller(secret: ReadSecret, now: string): Steps<FoundCaller> {
  if (secret.kind === "link") return { kind: "unknown" }
  const row = yield* one<PassRow>(statements[secret.kind], secret.id)
  if (!row || !isHashOf(row.hash, secret)) return { kind: "unknown" }
  const isGone = row.token_id !== null && row.scopes === null // the token that started this session
  if (isGone || row.revoked_at !== null) return { kind: "ended", how: "revoked" }
  if (row.expires_at <= now) return { kind: "ended", how: "expired" }
  const member = toMember(row)
  const allowed = scopesOf(member.role)
  const wanted: TokenScope[] | undefined = row.scopes === null ? undefined : JSON.parse(row.scopes)
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
