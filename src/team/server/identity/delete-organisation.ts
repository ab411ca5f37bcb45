import { all, run, type Steps } from "../../../store/steps.ts"
import { queueSchema } from "../jobs/jobs.ts"
import { rowsOf, type TeamParts } from "../team-parts.ts"
import { type Caller, wholeOf } from "./caller.ts"
import { tellRevoked } from "./revoke.ts"
import { tenantTables } from "./tenant-tables.ts"

/** Removes every row of an organisation from every table; tells how many of each there were. */
export function deleteOrganisation(parts: TeamParts, { slug }: Caller): Promise<Record<string, number>> {
  return rowsOf(parts, wholeOf(slug)).write(() => deleteAll(slug))
}

function* deleteAll(slug: string): Steps<Record<string, number>> {
  yield* all("SET LOCAL statement_timeout = 0") // of a large one there is a lot to remove
  yield* all("SELECT set_config('app.leaving', 'yes', true)")
  yield* run(`DELETE FROM ${queueSchema}.job WHERE data ->> 'slug' = ?`, slug)
  const counts: Record<string, number> = {}
  const tables = (yield* tenantTables()).map(({ name }) => name).sort((one, other) => placeOf(one) - placeOf(other))
  for (const name of tables) counts[name] = yield* run(`DELETE FROM ${name}`) // row-level security leaves all others alone
  yield* tellRevoked(slug)
  return counts
}

/** Removing what finds memories first spares taking each out of it; removing memories writes to the last two. */
const first = ["memory_bits", "postings", "terms", "buckets", "memories"]
const last = ["memory_changes", "organisations"]

function placeOf(table: string): number {
  if (first.includes(table)) return first.indexOf(table) - first.length
  return last.indexOf(table) + 1
}
