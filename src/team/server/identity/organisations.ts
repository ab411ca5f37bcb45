import { one, run, type Steps } from "../../../store/steps.ts"
import type { Organisation } from "../../api.ts"

export function* readOrganisation(): Steps<Organisation | undefined> {
  return yield* one<Organisation>(
    `SELECT slug, name, created_at AS created, (SELECT count(*) FROM memories WHERE status <> 'deprecated') AS memories,
       (SELECT count(*) FROM members) AS members FROM organisations`,
  )
}

/** False if the organisation already exists. */
export function* addOrganisation(slug: string, name: string, now: string): Steps<boolean> {
  const sql = "INSERT INTO organisations (slug, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
  return (yield* run(sql, slug, name, now)) > 0
}

export function* renameOrganisation(name: string): Steps<void> {
  yield* run("UPDATE organisations SET name = ?", name)
}
