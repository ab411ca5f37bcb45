import type { Memories } from "../drey/memories.ts"
import type { Methods } from "./answer-line.ts"
import { type Projects, projectAt } from "./open-projects.ts"

export type ServiceState = { pid: number; socket: string; started: string }

/** Methods about the service itself. */
export function serviceMethods(
  projects: Projects,
  own: Memories,
  { state, stop }: { state: ServiceState; stop: () => void },
): Methods {
  return {
    async flush(params) {
      const { learning } = await projectAt(projects, params)
      await learning.ingest() // what was said since the last look belongs to the task
      const { episodes, learned, paused } = await learning.flush()
      return { episodes, outcomes: learned.outcomes, postponed: learned.postponed, paused: paused.length > 0 }
    },

    async status(params) {
      const listed = await own.transcripts.projects()
      const asked = "project_root" in params ? await projectAt(projects, params) : undefined
      return {
        ...state,
        projects: listed.map(({ id, root }) => ({ id, root })),
        paused: (await (asked?.learning ?? own).transcripts.activePause()) ?? null,
        ...(asked ? { project: await asked.learning.status() } : {}),
      }
    },

    async reload_policy(params) {
      const { files, warnings } = await own.policy() // the watch goes by it from now on
      projects.reload()
      if (!("project_root" in params)) return { reloaded: true, files, warnings }
      const asked = await (await projectAt(projects, params)).learning.policy()
      return { reloaded: true, files: asked.files, warnings: asked.warnings }
    },

    async shutdown() {
      setImmediate(stop) // the answer goes out first
      return { stopping: true }
    },
  }
}
