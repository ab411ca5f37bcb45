import { all, run, type Steps } from "../../../store/steps.ts"
import { queueSchema } from "../jobs/jobs.ts"
import { rowsOf, type TeamParts } from "../team-parts.ts"
import { type Caller, wholeOf } from "./caller.ts"
import { tellRevoked } from "./revoke.ts"
import { tenantTables } from "./tenant-tables.ts"

/** Deletes every row of an organisation; returns the number of rows by table. */
export function deleteOrganisation(parts: TeamParts, { slug }: Caller): Promise<Record<string, number>> {
  return rowsOf(parts, wholeOf(slug)).write(() => deleteAll(slug))
}

function* deleteAll(slug: string): Steps<Record<string, number>> {
  yield* all("SET LOCAL statement_timeout = 0") // deleting a large organisation takes a while
  yield* all("SELECT set_config('app.leaving', 'yes', true)")
  yield* run(`DELETE FROM ${queueSchema}.job WHERE data ->> 'slug' = ?`, slug)
  const counts: Record<string, number> = {}
  const tables = (yield* tenantTables()).map(({ name }) => name).sort((one, other) => placeOf(one) - placeOf(other))
  for (const name of tables) counts[name] = yield* run(`DELETE FROM ${name}`) // row-level security limits this to the organisation
  yield* tellRevoked(slug)
  return counts
}

/** Index tables go before memories, so that triggers need not update them; deleting memories writes to the last two. */
const first = ["memory_bits", "postings", "terms", "buckets", "memories"]
const last = ["memory_changes", "organisations"]

function placeOf(table: string): number {
  if (first.includes(table)) return first.indexOf(table) - first.length
  return last.indexOf(table) + 1
}
