import type { Database } from "../disk/sqlite.ts"
import { knownAs } from "./known-as.ts"
import { changeMemory } from "./write-memory.ts"

type ProjectRow = { project_id: string; root: string; other_roots: string }

export function listProjects(database: Database): { id: string; root: string; aliases: string[] }[] {
  return database
    .prepare<ProjectRow>("SELECT project_id, root, other_roots FROM projects WHERE root <> '' ORDER BY project_id")
    .all()
    .map(({ project_id, root, other_roots }) => ({ id: project_id, root, aliases: JSON.parse(other_roots) }))
}

/** Makes a project known by its root. When the same repository had another id here before, its remote was changed: all of that is the new id's now. */
export function registerProject(
  database: Database,
  project: string,
  root: string,
  gitFolder: string | undefined,
): string {
  const id = knownAs(database, project)
  database
    .prepare(
      "INSERT INTO projects (project_id, root) VALUES (?, ?) ON CONFLICT DO UPDATE SET root = excluded.root WHERE root = ''",
    )
    .run(id, root)
  database
    .prepare(
      `UPDATE projects SET other_roots = json_insert(other_roots, '$[#]', :root)
       WHERE project_id = :id AND root <> :root AND :root NOT IN (SELECT value FROM json_each(other_roots))`,
    )
    .run({ id, root })
  if (gitFolder === undefined) return id
  for (const former of formerIds(database, id, root, gitFolder)) takeOver(database, former, id)
  database
    .prepare("UPDATE projects SET git_folder = ? WHERE project_id = ? AND git_folder IS NOT ?")
    .run(gitFolder, id, gitFolder)
  return id
}

/** A project that nobody has registered yet, such as that of an imported memory: its root is not known. */
export function ensureProject(database: Database, project: string): string {
  const id = knownAs(database, project)
  database.prepare("INSERT OR IGNORE INTO projects (project_id, root) VALUES (?, '')").run(id)
  return id
}

function formerIds(database: Database, id: string, root: string, gitFolder: string): string[] {
  return database
    .prepare<{ project_id: string }>(
      "SELECT project_id FROM projects WHERE project_id <> ? AND git_folder = ? AND (root = ? OR ? IN (SELECT value FROM json_each(other_roots))) ORDER BY project_id",
    )
    .all(id, gitFolder, root, root)
    .map(({ project_id }) => project_id)
}

function takeOver(database: Database, former: string, id: string): void {
  const clashing = database
    .prepare<{ memory_id: string; updated_at: string }>(
      `SELECT old.memory_id, old.updated_at FROM memories AS old JOIN memories AS own USING (owner_type, owner_id, key)
       WHERE old.project_id = ? AND own.project_id = ? AND old.path_prefix IS own.path_prefix
         AND 'deprecated' NOT IN (old.status, own.status)
         AND old.kind IN ('invariant', 'preference') AND own.kind IN ('invariant', 'preference')`,
    )
    .all(former, id)
  for (const { memory_id, updated_at } of clashing) {
    const audit = { action: "replaced", reason: `the project is ${id} now, where the key is taken`, now: updated_at }
    changeMemory(database, memory_id, { status: "deprecated" }, audit)
  }
  for (const table of ["memories", "evidence", "episodes", "open_tasks", "tasks", "project_aliases", "tombstones"])
    database.prepare(`UPDATE ${table} SET project_id = ? WHERE project_id = ?`).run(id, former)
  database
    .prepare(
      `UPDATE projects SET processed = projects.processed + former.processed, version = projects.version + former.version
       FROM (SELECT processed, version FROM projects WHERE project_id = ?) AS former WHERE project_id = ?`,
    )
    .run(former, id)
  database.prepare("DELETE FROM projects WHERE project_id = ?").run(former)
  database.prepare("INSERT INTO project_aliases (alias, project_id) VALUES (?, ?)").run(former, id)
}
