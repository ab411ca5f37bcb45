import { existsSync, realpathSync, statSync } from "node:fs"
import { sep } from "node:path"
import { findStore } from "../squad/find-store.ts"
import { projectIdOf } from "../store/project-id.ts"
import type { Project } from "./learning-parts.ts"

export type KnownProject = Project & { aliases: readonly string[] }

/** Which project a directory, as a transcript recorded it, belongs to; a worktree that is gone is known by its path. */
export function openProjectFinder(known: readonly KnownProject[]): (directory: string) => Project | undefined {
  const found = new Map<string, Project | undefined>()
  const roots = known
    .flatMap((project) => [project.root, ...project.aliases].map((root) => ({ root, project })))
    .sort((one, other) => other.root.length - one.root.length) // the innermost of nested projects counts
  const look = (directory: string): Project | undefined => {
    const byPath = roots.find(({ root }) => directory === root || directory.startsWith(root + sep))?.project
    if (!isFolder(directory)) return byPath
    const store = findStore(realpathSync(directory))
    const { id } = projectIdOf(store.root)
    return known.find((project) => project.id === id) ?? byPath ?? { id, root: store.root }
  }
  return (directory) => {
    if (!found.has(directory)) found.set(directory, look(directory))
    return found.get(directory)
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
