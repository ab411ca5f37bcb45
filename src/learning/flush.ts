import { withLock } from "../disk/lock.ts"
import { closeTasks } from "./close-tasks.ts"
import { type Graduation, graduate } from "./graduate.ts"
import { type Learned, learnFromEpisodes, nothingLearned } from "./learn.ts"
import type { LearningParts, Project } from "./learning-parts.ts"
import { type PausedProject, partByPause } from "./part-by-pause.ts"

export type Flush = { episodes: number; learned: Learned; graduation: Graduation; paused: PausedProject[] }

/**
 * Closes the open tasks of a project on request and learns from them at once. Uses only what has been read; `ingest`
 * reads more.
 */
export async function flush(parts: LearningParts, project: Project): Promise<Flush> {
  const { paused } = partByPause(parts, [project])
  if (paused.length > 0)
    return { episodes: 0, learned: nothingLearned(), graduation: { proposed: [], skills: [], refused: [] }, paused }
  return withLock(
    parts.lockPath,
    async () => {
      const closed = await closeTasks(parts, [project], "explicit")
      const learned = await learnFromEpisodes(parts, project)
      return { episodes: closed.length, learned, graduation: await graduate(parts, project), paused }
    },
    { waitMs: 60_000 },
  )
}
