import type { ProjectIdentity } from "./project-id.ts"
import { one, type Steps } from "./steps.ts"

/** The id under which a project is kept: another one when its remote was changed since. */
export function* knownAs(project: string): Steps<string> {
  const row = yield* one<{ project_id: string }>("SELECT project_id FROM project_aliases WHERE alias = ?", project)
  return row?.project_id ?? project
}

/**
 * The id under which a checkout is kept. One that earlier versions took from the repository's own settings counts where learned memory already
 * knows this very checkout by it: no other clone gets there by naming it.
 */
export function* projectOf(
  checkout: Pick<ProjectIdentity, "id" | "root"> & Partial<Pick<ProjectIdentity, "gitFolder" | "legacy">>,
): Steps<string> {
  const { id, root, gitFolder, legacy } = checkout
  if (legacy === undefined) return yield* knownAs(id)
  const kept = yield* knownAs(legacy)
  const row = yield* one<{ git_folder: string | null; root: string; other_roots: string }>(
    "SELECT git_folder, root, other_roots FROM projects WHERE project_id = ?",
    kept,
  )
  const others: string[] = JSON.parse(row?.other_roots ?? "[]")
  const isKnown = row?.root === root || others.includes(root)
  // Of several checkouts only the last one's folder is known: the user's own settings say which of them belong together.
  const isSame = others.length === 0 && (row?.git_folder ?? undefined) === gitFolder
  return isKnown && isSame ? kept : yield* knownAs(id)
}

/** Changes whenever a memory that the project may see changes; 0 for a project that was never seen. */
export function* versionOfProject(project: string): Steps<number> {
  const id = yield* knownAs(project)
  const row = yield* one<{ version: number }>("SELECT version FROM projects WHERE project_id = ?", id)
  return row?.version ?? 0
}
