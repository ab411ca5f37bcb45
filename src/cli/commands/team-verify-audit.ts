import type { Command } from "commander"
import { exitCode } from "../../errors.ts"
import { type CommonOptions, print } from "../print.ts"
import { type DatabaseOptions, databasePlaceOf, serverCommand } from "../team-database.ts"
import { parseSlug } from "./team-serve.ts"

type Options = CommonOptions & DatabaseOptions & { org: string }

export function teamVerifyAuditCommand(): Command {
  return serverCommand(
    "verify-audit",
    "Check that no line of an organisation's audit was changed or taken out: each holds a hash of all before it. For whoever runs the server.",
    "drey team verify-audit --org acme",
  )
    .option("--org <name>", "the organisation", "team")
    .action(verifyAudit)
}

async function verifyAudit(options: Options): Promise<void> {
  const { withTables } = await import("../../team/server/with-database.ts")
  const { verifyTeamAudit } = await import("../../team/server/identity/verify-team-audit.ts")
  const slug = await parseSlug(options.org)
  const broken = await withTables(databasePlaceOf(options), (driver) => verifyTeamAudit(driver, slug))
  print(
    options,
    () => ({ intact: broken === undefined, brokenAt: broken ?? null }),
    () =>
      broken === undefined
        ? `The audit of ${slug} is as it was written`
        : `Line ${broken} of the audit of ${slug} is not what was written, or a line before it is gone`,
  )
  if (broken !== undefined) process.exitCode = exitCode.no
}
