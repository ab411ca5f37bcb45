import type { Database } from "../disk/sqlite.ts"

/** The id under which a project is kept: another one when its remote was changed since. */
export function knownAs(database: Database, project: string): string {
  const row = database
    .prepare<{ project_id: string }>("SELECT project_id FROM project_aliases WHERE alias = ?")
    .get(project)
  return row?.project_id ?? project
}

/** Changes whenever a memory that the project may see changes; 0 for a project that was never seen. */
export function versionOfProject(database: Database, project: string): number {
  const row = database
    .prepare<{ version: number }>("SELECT version FROM projects WHERE project_id = ?")
    .get(knownAs(database, project))
  return row?.version ?? 0
}
