import type { ClientId } from "../clients/client.ts"
import type { TranscriptEvent } from "../clients/transcript-event.ts"
import type { LearnedStore } from "../store/learned-store.ts"
import type { Project } from "./learning-parts.ts"

/** Sessions and their projects; undefined: a project that was not requested. */
export type SessionPlaces = Map<string, Project | undefined>

/**
 * Assigns each new session in these events to a project: the one in whose directory it began, however long ago. Later
 * directory changes do not matter, because the task is the same; sessions of one transcript may differ. Sessions
 * without a known directory are left out.
 */
export async function placeSessions(
  places: SessionPlaces,
  events: readonly TranscriptEvent[],
  { store, client, projectOf }: PlaceOptions,
): Promise<void> {
  const beginnings = new Map<string, string | undefined>()
  for (const { session, cwd } of events)
    if (!places.has(session)) beginnings.set(session, beginnings.get(session) ?? cwd)
  for (const [session, cwd] of beginnings) {
    const directory = (await store.rootOfSession(client, session)) ?? cwd
    if (directory !== undefined) places.set(session, projectOf(directory))
  }
}

export type PlaceOptions = {
  store: Pick<LearnedStore, "rootOfSession">
  client: ClientId
  projectOf(directory: string): Project | undefined
}
