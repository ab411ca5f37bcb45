import type { LearningParts, Project } from "./learning-parts.ts"
import type { Pause } from "./pause.ts"

export type PausedProject = { project: Project; pause: Pause }

/** Splits projects into those to learn from and those the user has paused. */
export function partByPause(
  { pauseOf }: Pick<LearningParts, "pauseOf">,
  projects: readonly Project[],
): { awake: Project[]; paused: PausedProject[] } {
  const looked = projects.map((project) => ({ project, pause: pauseOf(project.id) }))
  return {
    awake: looked.filter(({ pause }) => !pause).map(({ project }) => project),
    paused: looked.flatMap(({ project, pause }) => (pause ? [{ project, pause }] : [])),
  }
}
