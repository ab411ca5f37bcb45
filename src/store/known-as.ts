import { one, type Steps } from "./steps.ts"

/** The id under which a project is kept: another one when its remote was changed since. */
export function* knownAs(project: string): Steps<string> {
  const row = yield* one<{ project_id: string }>("SELECT project_id FROM project_aliases WHERE alias = ?", project)
  return row?.project_id ?? project
}

/** Changes whenever a memory that the project may see changes; 0 for a project that was never seen. */
export function* versionOfProject(project: string): Steps<number> {
  const id = yield* knownAs(project)
  const row = yield* one<{ version: number }>("SELECT version FROM projects WHERE project_id = ?", id)
  return row?.version ?? 0
}
