import { createHash } from "node:crypto"

/** The number of an organisation, made from its name in addresses, so that nobody needs to look it up before a tenant is set. */
export function tenantIdOf(slug: string): string {
  const digest = createHash("sha256").update(`drey organisation\n${slug}`).digest()
  return (digest.readBigUInt64BE() >> 1n).toString()
}
