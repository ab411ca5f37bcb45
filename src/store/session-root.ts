import type { ClientId } from "../clients/client.ts"
import { one, type Steps } from "./steps.ts"

/** The project root of a session's events; undefined for an unknown session. */
export function* rootOfSession(client: ClientId, session: string): Steps<string | undefined> {
  const row = yield* one<{ root: string }>(
    `SELECT root FROM projects JOIN (
       SELECT project_id FROM open_tasks WHERE client = :client AND session_id = :session
       UNION ALL SELECT project_id FROM episodes WHERE client = :client AND session_id = :session
     ) AS named USING (project_id) WHERE root <> '' LIMIT 1`,
    { client, session },
  )
  return row?.root
}
