import { withLock } from "../disk/lock.ts"
import type { Episode, FlushReason } from "../memories/episode.ts"
import type { OpenTask } from "../memories/learned-store.ts"
import { openSegmenter } from "./episodes/segmenter.ts"
import { graduate, type LearnedGraduation } from "./learned-graduation.ts"
import { type Learned, learnFromEpisodes, nothingLearned } from "./learner.ts"
import { type LearningParts, type LearningProject, type PausedProject, partByPause } from "./learning-parts.ts"

export type Flush = { episodes: number; learned: Learned; graduation: LearnedGraduation; paused: PausedProject[] }

/**
 * Closes the open tasks of a project on request and learns from them at once. Uses only what has been read; `ingest`
 * reads more.
 */
export async function flush(parts: LearningParts, project: LearningProject): Promise<Flush> {
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

/**
 * Closes tasks idle for the policy's number of minutes: otherwise the last task of a session would never be learned
 * from.
 */
export async function closeIdleTasks(parts: LearningParts, projects: readonly LearningProject[]): Promise<Episode[]> {
  const now = parts.now().getTime()
  return closeTasks(parts, projects, "idle", ({ events }, { root }) => {
    const last = events.at(-1)?.ts
    const idleMs = parts.policyOf(root).episode.idle_minutes * 60_000
    return last === undefined || now - Date.parse(last) >= idleMs
  })
}

/** Closes the due open tasks of these projects in one step. */
export async function closeTasks(
  parts: LearningParts,
  projects: readonly LearningProject[],
  reason: FlushReason,
  isDue: (task: OpenTask, project: LearningProject) => boolean = () => true,
): Promise<Episode[]> {
  const byId = new Map(projects.map((project) => [project.id, project]))
  const open: OpenTask[] = []
  const episodes: Episode[] = []
  for (const task of await parts.store.openTasks()) {
    const project = byId.get(task.project)
    if (!project || !isDue(task, project)) continue
    const { client, session, transcript } = task
    const identity = { client, session, project: project.id, transcript }
    const segmenter = openSegmenter(parts.policyOf(project.root).episode, identity, task)
    const episode = segmenter.close(reason)
    if (episode) episodes.push(episode)
    open.push(segmenter.openTask())
  }
  if (open.length > 0) await parts.store.takeIn({ open, episodes })
  return episodes
}
