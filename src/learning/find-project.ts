import { existsSync, realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import { findTeamFolders } from "../squad/find-store.ts"
import { projectIdOf } from "../store/project-id.ts"
import type { Project } from "./learning-parts.ts"

export type KnownProject = Project & { aliases: readonly string[] }

/**
 * Finds the project of a directory recorded in a transcript. An existing directory decides by itself: a nested
 * repository is its own project, known or not. A deleted one, such as a worktree, is matched by its path.
 */
export function openProjectFinder(
  known: readonly KnownProject[],
  identify = (root: string): string => projectIdOf(root).id,
): (directory: string) => Project | undefined {
  const found = new Map<string, Project | undefined>()
  const roots = known
    .flatMap((project) => [project.root, ...project.aliases].flatMap((root) => withRealPath(root, project)))
    .sort((one, other) => other.root.length - one.root.length) // the innermost of nested projects wins
  const plainIds = new Map(known.map((project) => [plainIdOf(project.root), project]))
  const findAround = (directory: string): Project | undefined =>
    roots.find(({ root }) => directory === root || directory.startsWith(root + sep))?.project
  const look = (directory: string): Project | undefined => {
    if (!isFolder(directory)) return findAround(directory)
    const store = findTeamFolders(realpathSync(directory))
    if (!isMarked(store)) return findAround(store.root)
    const id = identify(store.root)
    return known.find((project) => project.id === id) ?? plainIds.get(id) ?? { id, root: store.root }
  }
  return (directory) => {
    if (!found.has(directory)) found.set(directory, look(directory))
    return found.get(directory)
  }
}

function withRealPath(root: string, project: Project): { root: string; project: Project }[] {
  return [root, realPathOf(root)].map((each) => ({ root: each, project }))
}

/** The project id by its files, which the configuration may override; none when the project is gone. */
function plainIdOf(root: string): string | undefined {
  const { id, root: nearest } = projectIdOf(root)
  return nearest === realPathOf(root) ? id : undefined
}

/** Whether it is a project root, and not merely where the search began. */
function isMarked({ root, folders }: ReturnType<typeof findTeamFolders>): boolean {
  return folders.length > 0 || existsSync(join(root, ".git"))
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}
