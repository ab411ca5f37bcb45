import type { ProjectIdentity } from "./project-id.ts"
import { one, type Steps } from "./steps.ts"

/** The id a project is stored under; it differs from the given one after its remote has changed. */
export function* knownAs(project: string): Steps<string> {
  const row = yield* one<{ project_id: string }>("SELECT project_id FROM project_aliases WHERE alias = ?", project)
  return row?.project_id ?? project
}

/**
 * The id a checkout is stored under. An id that earlier versions read from the repository's settings is accepted only
 * if learned memory already knows this checkout by it, so no other clone can claim it.
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
  // Of several checkouts only the latest root is known; the user's settings define which belong together.
  const isSame = others.length === 0 && (row?.git_folder ?? undefined) === gitFolder
  return isKnown && isSame ? kept : yield* knownAs(id)
}

/** Changes whenever a memory visible to the project changes; 0 for an unknown project. */
export function* versionOfProject(project: string): Steps<number> {
  const id = yield* knownAs(project)
  const row = yield* one<{ version: number }>("SELECT version FROM projects WHERE project_id = ?", id)
  return row?.version ?? 0
}
