import { rowsOf, type TeamParts } from "../team-parts.ts"
import { wholeOf } from "./caller.ts"
import { inviteOwner } from "./invitations.ts"
import { addOrganisation, readOrganisation } from "./organisations.ts"
import { addTeamAudit } from "./team-audit.ts"

export type NewOrganisation = {
  slug: string
  name: string
  /** The first owner's address; "" where nobody said. */
  email: string
  now: Date
}

/** Makes an organisation and a link for its first owner; undefined when there is one of this name. */
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

/** Another link for an owner; undefined when there is no such organisation. */
export function makeOwnerLink(
  parts: Pick<TeamParts, "driver" | "auditKey">,
  { slug, email, now }: Omit<NewOrganisation, "name">,
): Promise<string | undefined> {
  return rowsOf(parts, wholeOf(slug)).write(function* () {
    return (yield* readOrganisation()) ? yield* inviteOwner(slug, email, now) : undefined
  })
}
