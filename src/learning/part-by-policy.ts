import { DreyError } from "../errors.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

/** A project that is not learned from until the user fixes an error in it. */
export type TroubledProject = { project: Project; error: DreyError }

/** Splits projects by whether their policy can be read: an error in one must not stop learning in the others. */
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

/** Returns an error that the user can fix; a bug is thrown again. */
export function requireMendable(error: unknown): DreyError {
  if (error instanceof DreyError) return error
  throw error
}
