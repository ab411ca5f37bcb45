import type { Episode, FlushReason } from "../episodes/episode.ts"
import { openSegmenter } from "../episodes/segmenter.ts"
import type { OpenTask } from "../store/learned-store.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

/**
 * Closes tasks idle for the policy's number of minutes: otherwise the last task of a session would never be learned
 * from.
 */
export async function closeIdleTasks(parts: LearningParts, projects: readonly Project[]): Promise<Episode[]> {
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
  projects: readonly Project[],
  reason: FlushReason,
  isDue: (task: OpenTask, project: Project) => boolean = () => true,
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
