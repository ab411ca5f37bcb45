import type { Project } from "../project.ts"
import type { TeamClient } from "../server/client/team.ts"

/** The memory that the user's team shares over its server; needs no repository. */
export type ServerClient = Omit<TeamClient, "close">

export function openServer(project: Project): ServerClient {
  let opened: Promise<TeamClient> | undefined
  const team = () => {
    opened ??= openTeamOf(project)
    return opened
  }
  const close = async () => {
    const closing = opened
    opened = undefined
    await (await closing)?.close()
  }
  const ask = async () => {
    if (!opened) project.onClose(close)
    return team()
  }
  return {
    login: async (request) => (await ask()).login(request),
    status: async () => (await ask()).status(),
    planShare: async (ids, options) => (await ask()).planShare(ids, options),
    share: async (plan) => (await ask()).share(plan),
    unshare: async (ids, options) => (await ask()).unshare(ids, options),
    allowEpisodes: async (options) => (await ask()).allowEpisodes(options),
    forbidEpisodes: async () => (await ask()).forbidEpisodes(),
    sync: async () => (await ask()).sync(),
    syncIfFree: async (options) => (await ask()).syncIfFree(options),
    leave: async (options) => (await ask()).leave(options),
  }
}

async function openTeamOf(project: Project): Promise<TeamClient> {
  const { openTeam } = await import("../server/client/team.ts")
  const { sqliteStore } = await import("../memories/sqlite-store.ts")
  const { learnedPath } = await import("../memories/ledger.ts")
  const store = sqliteStore(learnedPath(project.home))
  /** Registers this repository, so that it is among the projects. */
  const registered = async () => {
    const learning = await project.learning()
    await learning.projects()
    return learning.project
  }
  const opened = openTeam({
    home: project.home,
    store,
    async projects() {
      if (project.store().folders.length > 0) await registered()
      return (await store.projects()).map(({ id }) => id)
    },
    async project() {
      const { id, root } = await registered()
      return store.registerProject(id, root)
    },
    userHome: project.machine.home,
    now: project.now,
  })
  return {
    ...opened,
    async close() {
      await opened.close()
      await store.close()
    },
  }
}
