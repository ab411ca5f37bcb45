import { changeMemory } from "./memory-rows.ts"
import { currentProjectId, type ProjectIdentity, projectOf } from "./project-id.ts"
import { all, one, run, type Steps } from "./steps.ts"

type ProjectRow = { project_id: string; root: string; other_roots: string }

export function* listProjects(): Steps<{ id: string; root: string; aliases: string[] }[]> {
  const rows = yield* all<ProjectRow>(
    "SELECT project_id, root, other_roots FROM projects WHERE root <> '' ORDER BY project_id",
  )
  return rows.map(({ project_id, root, other_roots }) => ({ id: project_id, root, aliases: JSON.parse(other_roots) }))
}

/** Distinguishes a checkout from others at the same root, and names its possible former ids. */
export type CheckoutMarks = Partial<Pick<ProjectIdentity, "gitFolder" | "formerly" | "legacy">>

/**
 * Registers a project by its root. Data stored under another id of the same checkout stays there, because the id is
 * derived from files that others may change. It moves only if the user's settings say so, or when the repository gets
 * its first remote.
 */
export function* registerProject(project: string, root: string, marks: CheckoutMarks = {}): Steps<string> {
  const { gitFolder, formerly } = marks
  const id = yield* projectOf({ id: project, root, ...marks })
  const known = yield* one<ProjectRow>("SELECT root FROM projects WHERE project_id = ? AND root <> ''", id)
  yield* run(
    `INSERT INTO projects (project_id, root) VALUES (?, ?)
     ON CONFLICT (project_id) DO UPDATE SET root = excluded.root WHERE projects.root = ''`,
    id,
    root,
  )
  yield* addRoot(id, root)
  if (gitFolder === undefined) return id
  const mayTake = (former: string) => formerly === "any" || (formerly === former && known === undefined)
  for (const former of yield* formerIds(id, root, gitFolder)) if (mayTake(former)) yield* takeOver(former, id)
  yield* run(
    "UPDATE projects SET git_folder = :folder WHERE project_id = :id AND git_folder IS DISTINCT FROM :folder",
    { folder: gitFolder, id },
  )
  return id
}

function* addRoot(id: string, root: string): Steps<void> {
  const row = yield* one<ProjectRow>("SELECT project_id, root, other_roots FROM projects WHERE project_id = ?", id)
  const others: string[] = JSON.parse(row?.other_roots ?? "[]")
  if (row?.root === root || others.includes(root)) return
  yield* run("UPDATE projects SET other_roots = ? WHERE project_id = ?", JSON.stringify([...others, root]), id)
}

/** A project that is not registered yet, such as that of an imported memory: its root is unknown. */
export function* ensureProject(project: string): Steps<string> {
  const id = yield* currentProjectId(project)
  yield* run("INSERT INTO projects (project_id, root) VALUES (?, '') ON CONFLICT DO NOTHING", id)
  return id
}

function* formerIds(id: string, root: string, gitFolder: string): Steps<string[]> {
  const rows = yield* all<{ project_id: string }>(
    `SELECT project_id FROM projects
     WHERE project_id <> :id AND git_folder = :gitFolder AND (root = :root OR :root IN (SELECT value FROM json_each(other_roots)))
     ORDER BY project_id`,
    { id, root, gitFolder },
  )
  return rows.map(({ project_id }) => project_id)
}

/** Projects with active memories that this checkout had before its remote or name changed. */
export function* formerProjects(
  project: string,
  root: string,
  gitFolder: string | undefined,
): Steps<{ id: string; memories: number }[]> {
  if (gitFolder === undefined) return []
  const found: { id: string; memories: number }[] = []
  for (const id of yield* formerIds(yield* currentProjectId(project), root, gitFolder)) {
    const row = yield* one<{ memories: number }>(
      "SELECT count(*) AS memories FROM memories WHERE project_id = ? AND status <> 'deprecated'",
      id,
    )
    if (row && row.memories > 0) found.push({ id, memories: Number(row.memories) })
  }
  return found
}

function* takeOver(former: string, id: string): Steps<void> {
  const clashing = yield* all<{ memory_id: string; updated_at: string }>(
    `SELECT old.memory_id, old.updated_at FROM memories AS old JOIN memories AS own USING (owner_type, owner_id, key)
     WHERE old.project_id = ? AND own.project_id = ? AND old.path_prefix IS NOT DISTINCT FROM own.path_prefix
       AND 'deprecated' NOT IN (old.status, own.status)
       AND old.kind IN ('invariant', 'preference') AND own.kind IN ('invariant', 'preference')`,
    former,
    id,
  )
  for (const { memory_id, updated_at } of clashing) {
    const audit = { action: "replaced", reason: `the project is now ${id}, where the key is taken`, now: updated_at }
    yield* changeMemory(memory_id, { status: "deprecated" }, audit)
  }
  for (const table of ["memories", "evidence", "episodes", "open_tasks", "tasks", "project_aliases", "tombstones"])
    yield* run(`UPDATE ${table} SET project_id = ? WHERE project_id = ?`, id, former)
  yield* run(
    `UPDATE projects SET processed = projects.processed + former.processed, version = projects.version + former.version
     FROM (SELECT processed, version FROM projects WHERE project_id = ?) AS former WHERE project_id = ?`,
    former,
    id,
  )
  yield* run("DELETE FROM projects WHERE project_id = ?", former)
  yield* run("INSERT INTO project_aliases (alias, project_id) VALUES (?, ?)", former, id)
}
