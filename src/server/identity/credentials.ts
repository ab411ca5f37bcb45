import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { tenantIdOf } from "../../memories/postgres/tenancy.ts"
import { all, type Steps } from "../../memories/steps.ts"

/** `pat`: personal access token. `in`: browser session cookie. `link`: single-use link. */
export type SecretKind = "pat" | "in" | "link"

/** A parsed secret; the database stores only its hash. */
export type ReadSecret = { kind: SecretKind; slug: string; id: string; hash: Buffer }

export type NewSecret = ReadSecret & { text: string; hint: string }

/** `drey_pat_<slug>_<id>_<32 random bytes>`: contains the organisation, so that only its rows are searched. */
export function makeSecret(kind: SecretKind, slug: string): NewSecret {
  const id = randomBytes(8).toString("hex")
  const text = `drey_${kind}_${slug}_${id}_${randomBytes(32).toString("base64url")}`
  return { kind, slug, id, text, hash: hashOf(text), hint: text.slice(0, -38) }
}

/** undefined if the text is not in this format. */
export function readSecret(text: string): ReadSecret | undefined {
  const [, kind, slug, id] = form.exec(text) ?? []
  if (kind === undefined || slug === undefined || id === undefined) return undefined
  return { kind: kind as SecretKind, slug, id, hash: hashOf(text) }
}

const form = /^drey_(pat|in|link)_([a-z0-9][a-z0-9-]{0,39})_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/

/** Compares in constant time. */
export function isHashOf(kept: Uint8Array, { hash }: Pick<ReadSecret, "hash">): boolean {
  return kept.length === hash.length && timingSafeEqual(kept, hash)
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}

/** NOTIFY channel on which all server processes invalidate their auth cache of an organisation, at commit. */
export const revokedChannel = "drey_revoked"

export function* notifyRevoked(slug: string): Steps<void> {
  yield* all("SELECT pg_notify(?, ?)", revokedChannel, tenantIdOf(slug))
}
