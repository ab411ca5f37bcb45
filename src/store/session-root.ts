import type { ClientId } from "../clients/client.ts"
import type { Database } from "../disk/sqlite.ts"

/** The root of the project to which a session's events were put; undefined for a session that was never taken in. */
export function rootOfSession(database: Database, client: ClientId, session: string): string | undefined {
  const row = database
    .prepare<{ root: string }>(
      `SELECT root FROM projects JOIN (
         SELECT project_id FROM open_tasks WHERE client = :client AND session_id = :session
         UNION ALL SELECT project_id FROM episodes WHERE client = :client AND session_id = :session
       ) USING (project_id) WHERE root <> '' LIMIT 1`,
    )
    .get({ client, session })
  return row?.root
}
