import { tenantIdOf } from "../../../store/postgres/tenant-id.ts"
import { all, type Steps } from "../../../store/steps.ts"

/** NOTIFY channel on which all server processes invalidate their auth cache of an organisation, at commit. */
export const revokedChannel = "drey_revoked"

export function* tellRevoked(slug: string): Steps<void> {
  yield* all("SELECT pg_notify(?, ?)", revokedChannel, tenantIdOf(slug))
}
