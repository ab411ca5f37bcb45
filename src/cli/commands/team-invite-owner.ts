import type { Command } from "commander"
import { DreyError, exitCode } from "../../errors.ts"
import { type CommonOptions, print } from "../print.ts"
import { type DatabaseOptions, databasePlaceOf, serverCommand } from "../team-database.ts"
import { parseSlug } from "./team-serve.ts"

type Options = CommonOptions & DatabaseOptions & { org: string; owner?: string; publicUrl: string }

export function teamInviteOwnerCommand(): Command {
  return serverCommand(
    "invite-owner",
    "Print another link for an owner of an organisation, when the first was lost or nobody can sign in any more. For server operators.",
    "drey team invite-owner --org acme --owner kim@example.com",
  )
    .option("--org <name>", "the organisation", "team")
    .option("--owner <email>", "the owner's address; a member of this address becomes owner")
    .option("--public-url <url>", "where the server is found", "http://127.0.0.1:4848")
    .action(inviteOwner)
}

async function inviteOwner(options: Options): Promise<void> {
  const { withTables } = await import("../../team/server/with-database.ts")
  const { makeOwnerLink } = await import("../../team/server/identity/make-organisation.ts")
  const { readAuditKeys } = await import("../../team/server/identity/audit-key.ts")
  const slug = await parseSlug(options.org)
  const [auditKey] = readAuditKeys(process.env)
  const link = await withTables(databasePlaceOf(options), (driver) =>
    makeOwnerLink({ driver, auditKey }, { slug, email: options.owner ?? "", now: new Date() }),
  )
  if (link === undefined)
    throw new DreyError(`There is no organisation ${slug}`, {
      hint: `drey team org create ${slug} makes it.`,
      exitCode: exitCode.no,
    })
  const ownerLink = `${options.publicUrl}/join#${link}`
  print(
    options,
    () => ({ slug, ownerLink }),
    () => `An owner of ${slug} comes in by this link, once, within 7 days:\n  ${ownerLink}`,
  )
}
