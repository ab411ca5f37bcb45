import { type Episode, subAgentOf } from "../memories/episode.ts"
import type { LearnedStore } from "../memories/learned-store.ts"
import type { EvidencePlace } from "../memories/writer.ts"
import { failureLessonsOf } from "./writer/rules/failure-lessons.ts"

/** In which sessions of a project something went wrong in the same way. */
export type FailureHistory = {
  /** Where each failure of this episode happened in other sessions before it, by the failure's key. */
  before(episode: Episode): Promise<ReadonlyMap<string, readonly EvidencePlace[]>>
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
  /** By key and session: the first place. */
  const places = new Map<string, Map<string, EvidencePlace>>()
  let loaded: Promise<void> | undefined
  const add = (episode: Episode) => {
    for (const { key, lesson } of failureLessonsOf(episode)) {
      const known = places.get(key) ?? new Map<string, EvidencePlace>()
      const place = { episode: episode.id, event: lesson.evidence.event ?? 0 }
      if (!known.has(sessionOf(episode))) known.set(sessionOf(episode), place)
      places.set(key, known)
    }
  }
  const load = async () => {
    for (const { episodes } of await clientSessions(project, { limit: mostSessions, subAgents: true }))
      for (const episode of episodes) if (episode.processed) add(episode)
  }
  return {
    async before(episode) {
      const keys = failureLessonsOf(episode).flatMap(({ key, sessions }) => (sessions > 1 ? [key] : []))
      if (keys.length === 0) return new Map()
      loaded ??= load()
      await loaded
      const others = (key: string) =>
        [...(places.get(key) ?? [])].flatMap(([session, place]) => (session === sessionOf(episode) ? [] : [place]))
      return new Map(keys.map((key) => [key, others(key)]))
    },
    add(episode) {
      if (loaded) add(episode)
    },
  }
}

/** A sub-agent works in the session that started it. */
function sessionOf({ client, session, events }: Episode): string {
  return `${client} ${subAgentOf(events)?.parent ?? session}`
}
