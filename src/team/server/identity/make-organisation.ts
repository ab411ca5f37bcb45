import { rowsOf, type TeamParts } from "../team-parts.ts"
import { wholeOf } from "./caller.ts"
import { inviteOwner } from "./invitations.ts"
import { addOrganisation, readOrganisation } from "./organisations.ts"
import { addTeamAudit } from "./team-audit.ts"

export type NewOrganisation = {
  slug: string
  name: string
  /** The first owner's address; "" if unknown. */
  email: string
  now: Date
}

/** Creates an organisation and a link for its first owner; undefined if it already exists. */
export function makeOrganisation(
  parts: Pick<TeamParts, "driver" | "auditKey">,
  { slug, name, email, now }: NewOrganisation,
): Promise<string | undefined> {
  return rowsOf(parts, wholeOf(slug)).write(function* () {
    if (!(yield* addOrganisation(slug, name, now.toISOString()))) return undefined
    yield* addTeamAudit({ actor: "the server", action: "organisation made" }, now.toISOString())
    return yield* inviteOwner(slug, email, now)
  })
}

/** Creates another owner link; undefined if the organisation does not exist. */
export function makeOwnerLink(
  parts: Pick<TeamParts, "driver" | "auditKey">,
  { slug, email, now }: Omit<NewOrganisation, "name">,
): Promise<string | undefined> {
  return rowsOf(parts, wholeOf(slug)).write(function* () {
    return (yield* readOrganisation()) ? yield* inviteOwner(slug, email, now) : undefined
  })
}
