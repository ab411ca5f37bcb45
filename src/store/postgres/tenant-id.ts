import { createHash } from "node:crypto"

/** The number of an organisation, derived from its slug, so that setting the tenant needs no lookup. */
export function tenantIdOf(slug: string): string {
  const digest = createHash("sha256").update(`drey organisation\n${slug}`).digest()
  return (digest.readBigUInt64BE() >> 1n).toString()
}
