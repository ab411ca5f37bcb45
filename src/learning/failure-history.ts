import type { Episode } from "../memories/episode.ts"
import type { LearnedStore } from "../memories/learned-store.ts"
import { failureLessonsOf } from "./writer/rules/failure-lessons.ts"

/** In which sessions of a project something went wrong in the same way. */
export type FailureHistory = {
  /** In how many other sessions, before this episode, each of its failures happened; by the failure's key. */
  before(episode: Episode): Promise<ReadonlyMap<string, number>>
  /** To be called with every episode when it has been processed. */
  add(episode: Episode): void
}

/** Enough to see what keeps happening; older sessions show how the project was. */
const mostSessions = 200

/** Reads the processed episodes when the first episode needs them; one run then keeps up by itself. */
export function openFailureHistory(
  { clientSessions }: Pick<LearnedStore, "clientSessions">,
  project: string,
): FailureHistory {
  const sessions = new Map<string, Set<string>>()
  let loaded: Promise<void> | undefined
  const add = (episode: Episode) => {
    for (const { key } of failureLessonsOf(episode))
      sessions.set(key, (sessions.get(key) ?? new Set()).add(sessionOf(episode)))
  }
  const load = async () => {
    for (const { episodes } of await clientSessions(project, { limit: mostSessions }))
      for (const episode of episodes) if (episode.processed) add(episode)
  }
  return {
    async before(episode) {
      const keys = failureLessonsOf(episode).flatMap(({ key, sessions }) => (sessions > 1 ? [key] : []))
      if (keys.length === 0) return new Map()
      loaded ??= load()
      await loaded
      const others = (key: string) => [...(sessions.get(key) ?? [])].filter((each) => each !== sessionOf(episode))
      return new Map(keys.map((key) => [key, others(key).length]))
    },
    add: (episode) => {
      if (loaded) add(episode)
    },
  }
}

function sessionOf({ client, session }: Episode): string {
  return `${client} ${session}`
}
