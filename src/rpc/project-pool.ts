import type { Memories } from "../drey/memories.ts"
import { type Drey, openDrey } from "../drey.ts"
import { DreyError } from "../errors.ts"
import type { LearningProject } from "../learning/learning-parts.ts"
import { RpcError, rpcCodes } from "./protocol.ts"

export type OpenProject = { drey: Drey; learning: Memories }

/** The projects that callers use, each opened once and kept open; separate from the watch's own. */
export type Projects = {
  /** The one around a folder, by its absolute path. */
  at(folder: string): Promise<OpenProject>
  /** By its id; undefined when Drey does not learn from it. */
  byId(id: string): Promise<OpenProject | undefined>
  /** Every project that Drey knows. */
  all(): Promise<OpenProject[]>
  /** Reopens each project on next use, with its current settings. Open ones are closed once no request uses them. */
  reload(): void
  /** Answers a request; until it has, nothing that it may use is closed. */
  serving<Answer>(answer: () => Promise<Answer>): Promise<Answer>
  close(): Promise<void>
}

export type ProjectsOptions = {
  /** Knows which projects there are. */
  listed: () => Promise<LearningProject[]>
  environment: NodeJS.ProcessEnv
  warn: (message: string) => void
  /** False where the user acts, in an editor; otherwise an untrusted repository is not used. */
  automatic?: boolean
}

export function openProjects({ listed, ...options }: ProjectsOptions): Projects {
  const opened = new Map<string, Promise<OpenProject>>()
  const retired: Promise<OpenProject>[] = []
  let requests = 0
  const closeAll = async (projects: readonly Promise<OpenProject>[]) => {
    for (const project of projects) {
      const open = await project.catch(() => undefined) // its caller already got the error
      await open?.drey.close()
    }
  }
  const at = async (folder: string): Promise<OpenProject> => {
    const drey = open(folder, options)
    const project = opened.get(drey.root) ?? withLearning(drey)
    opened.set(drey.root, project)
    try {
      return await project
    } catch (error) {
      opened.delete(drey.root) // it may be set up later
      throw error
    }
  }
  return {
    at,
    async byId(id) {
      const known = (await listed()).find((project) => project.id === id)
      return known && at(known.root)
    },
    async all() {
      const projects = []
      for (const { root } of await listed()) projects.push(await at(root))
      return projects
    },
    reload() {
      retired.push(...opened.values())
      opened.clear()
    },
    async serving(answer) {
      requests++
      try {
        return await answer()
      } finally {
        requests--
        if (requests === 0) await closeAll(retired.splice(0))
      }
    },
    close: () => closeAll([...retired, ...opened.values()]),
  }
}

/** Opening reads nothing yet; for a project that is already open it costs a stat. */
function open(folder: string, options: Omit<ProjectsOptions, "listed">): Drey {
  try {
    return openDrey({ root: folder, automatic: true, ...options })
  } catch (error) {
    throw notInitialised(error)
  }
}

async function withLearning(drey: Drey): Promise<OpenProject> {
  try {
    await drey.memories.project() // throws where there is no team folder
    return { drey, learning: drey.memories }
  } catch (error) {
    throw notInitialised(error)
  }
}

function notInitialised(error: unknown): unknown {
  if (!(error instanceof DreyError)) return error
  return new RpcError(rpcCodes.notInitialised, error.message, { hint: 'Set the project up with "drey init".' })
}
