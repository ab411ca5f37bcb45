import type { Command } from "commander"
import { DreyError, exitCode } from "../../errors.ts"
import { type CommonOptions, print } from "../print.ts"
import { type DatabaseOptions, databasePlaceOf, serverCommand } from "../team-database.ts"
import { parseSlug } from "./team-serve.ts"

type Options = CommonOptions & DatabaseOptions & { org: string; owner?: string; publicUrl: string }

export function teamInviteOwnerCommand(): Command {
  return serverCommand(
    "invite-owner",
    "Print a new owner link for an organisation, if the first was lost or no owner can sign in. For server operators.",
    "drey team invite-owner --org acme --owner kim@example.com",
  )
    .option("--org <name>", "the organisation", "team")
    .option("--owner <email>", "the owner's email address; an existing member with it becomes owner")
    .option("--public-url <url>", "the server's public address", "http://127.0.0.1:4848")
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
      hint: `Create it with: drey team org create ${slug}`,
      exitCode: exitCode.no,
    })
  const ownerLink = `${options.publicUrl}/join#${link}`
  print(
    options,
    () => ({ slug, ownerLink }),
    () => `Owner link for ${slug} (works once, valid for 7 days):\n  ${ownerLink}`,
  )
}
