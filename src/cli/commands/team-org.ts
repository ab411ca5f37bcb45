import type { Command } from "commander"
import { DreyError, exitCode } from "../../errors.ts"
import { commandGroup } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"
import { type DatabaseOptions, databasePlaceOf, serverCommand } from "../team-database.ts"
import { parseSlug } from "./team-serve.ts"

type Options = CommonOptions & DatabaseOptions & { name?: string; owner?: string; publicUrl: string }

export function teamOrgCommand(): Command {
  const org = commandGroup(
    "org",
    "Manage the organisations of a team server. For server operators.",
    "drey team org create acme --owner kim@example.com",
  )
  return org.addCommand(createCommand())
}

function createCommand(): Command {
  return serverCommand(
    "create",
    "Create an organisation and print a link for its first owner. Organisations cannot see each other's data.",
    'drey team org create acme --name "Acme Corp." --owner kim@example.com --public-url https://drey.example.com',
  )
    .argument("<slug>", "its short name, used in addresses and tokens: lower-case letters, digits and hyphens")
    .option("--name <name>", "display name; default: the short name")
    .option("--owner <email>", "the email address of its first owner")
    .option("--public-url <url>", "the server's public address", "http://127.0.0.1:4848")
    .action(createOrganisation)
}

async function createOrganisation(given: string, options: Options): Promise<void> {
  const { withTables } = await import("../../team/server/with-database.ts")
  const { makeOrganisation } = await import("../../team/server/identity/make-organisation.ts")
  const { readAuditKeys } = await import("../../team/server/identity/audit-key.ts")
  const slug = await parseSlug(given)
  const [auditKey] = readAuditKeys(process.env)
  const { name = slug, owner: email = "", publicUrl } = options
  const link = await withTables(databasePlaceOf(options), (driver) =>
    makeOrganisation({ driver, auditKey }, { slug, name, email, now: new Date() }),
  )
  if (link === undefined) throw new DreyError(`Organisation ${slug} already exists`, { exitCode: exitCode.no })
  const ownerLink = `${publicUrl}/join#${link}`
  print(
    options,
    () => ({ slug, ownerLink }),
    () => `Created ${slug}. Link for its first owner (works once, valid for 7 days):\n  ${ownerLink}`,
  )
}
