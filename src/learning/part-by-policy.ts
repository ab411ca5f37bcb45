import { DreyError } from "../errors.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

/** A project from which nothing is learned until a person mends something in it. */
export type TroubledProject = { project: Project; error: DreyError }

/** The projects whose policy can be read, and the others: what one team broke is no reason to learn nothing elsewhere. */
export function partByPolicy(
  { policyOf }: Pick<LearningParts, "policyOf">,
  projects: readonly Project[],
): { readable: Project[]; troubled: TroubledProject[] } {
  const readable: Project[] = []
  const troubled: TroubledProject[] = []
  for (const project of projects) {
    try {
      policyOf(project.root)
      readable.push(project)
    } catch (error) {
      troubled.push({ project, error: requireMendable(error) })
    }
  }
  return { readable, troubled }
}

/** What was thrown, if a person can mend it; a bug stays loud. */
export function requireMendable(error: unknown): DreyError {
  if (error instanceof DreyError) return error
  throw error
}
