import type { PostgresDriver } from "../../../disk/postgres/driver.ts"
import { postgresSession } from "../../../store/postgres/postgres-session.ts"
import { tenantIdOf } from "../../../store/postgres/tenant-id.ts"
import { run, type Steps } from "../../../store/steps.ts"
import { wholeOf } from "./caller.ts"
import { type FoundCaller, findCaller } from "./find-caller.ts"
import { revokedChannel } from "./revoke.ts"
import { type ReadSecret, readSecret } from "./secret-text.ts"

/** Looks up the caller of a token or cookie. */
export type Passes = {
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
export async function openPasses({ driver, now, warn }: PassOptions): Promise<Passes> {
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
