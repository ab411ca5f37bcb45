import type { Ask } from "../../disk/postgres/driver.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { checkTenancy } from "../../store/postgres/check-tenancy.ts"

/** Refuses a database without tables, or whose row-level security no longer isolates organisations. */
export async function requireApartness(ask: Ask): Promise<void> {
  const { rows } = await ask("SELECT to_regclass('drey.organisations') IS NOT NULL AS \"isThere\"")
  if (!rows[0]?.isThere)
    throw new DreyError("the database has no Drey tables", { hint: "Create them with: drey team migrate" })
  const faults = await checkTenancy(ask)
  if (faults.length === 0) return
  throw new DreyError(`the database does not isolate organisations: ${faults.join("; ")}`, {
    hint: "Its row-level security was changed. Revert that, or restore a backup into a new database.",
    exitCode: exitCode.no,
  })
}
