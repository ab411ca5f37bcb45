import { tenantIdOf } from "../../../store/postgres/tenant-id.ts"
import { all, type Steps } from "../../../store/steps.ts"

/** On it every server process is told, with the commit, that what it remembers of who may do what in an organisation holds no longer. */
export const revokedChannel = "drey_revoked"

export function* tellRevoked(slug: string): Steps<void> {
  yield* all("SELECT pg_notify(?, ?)", revokedChannel, tenantIdOf(slug))
}
