import type { Ask } from "../../disk/postgres/driver.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { checkTenancy } from "../../store/postgres/check-tenancy.ts"

/** Refuses a database in which one organisation might see rows of another, whoever changed it, and one that has no tables yet. */
export async function requireApartness(ask: Ask): Promise<void> {
  const { rows } = await ask("SELECT to_regclass('drey.organisations') IS NOT NULL AS \"isThere\"")
  if (!rows[0]?.isThere)
    throw new DreyError("the database has no tables of Drey's", { hint: "drey team migrate makes them." })
  const faults = await checkTenancy(ask)
  if (faults.length === 0) return
  throw new DreyError(`the database does not keep organisations apart: ${faults.join("; ")}`, {
    hint: "Somebody changed it. Undo that, or restore a backup into a database of its own.",
    exitCode: exitCode.no,
  })
}
