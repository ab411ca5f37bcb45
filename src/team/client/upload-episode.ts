import type { Episode, EpisodeEvent } from "../../episodes/episode.ts"
import { placePaths } from "../../episodes/place-path.ts"
import { clearWithMarks } from "../../governance/cleared.ts"
import { episode as episodeForm, type UploadedEpisode } from "../api.ts"

/** Local paths, removed from everything that is uploaded. */
type EpisodePlace = { root: string; userHome: string }

/**
 * Prepares an episode for upload: every word is redacted again, paths start at the project or at `~`, and the transcript's path is left out.
 * Undefined if the episode does not fit the server's schema.
 */
export function uploadEpisode(
  { id, project, client, session, start, end, events, stats, flushReason }: Episode,
  place: EpisodePlace,
): UploadedEpisode | undefined {
  const upload = episodeForm.safeParse({
    ...{ id, project, client, start, end, stats, flushReason },
    session: placed(session, place),
    events: events.map((event) => clearEvent(event, place)),
  })
  return upload.data
}

/** Ids and times are not redacted: two different ids could become the same. */
function clearEvent(event: EpisodeEvent, place: EpisodePlace): object {
  const clear = (value: unknown) => (typeof value === "string" ? clearWithMarks(placed(value, place)) : value)
  const { id, ts, ...words } = event
  const cleared = Object.entries(words).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(clear) : clear(value),
  ])
  return { id: placed(id, place), ts, ...Object.fromEntries(cleared) }
}

/** Episodes already have the usual home folders removed; this one may be in an unusual place. */
function placed(text: string, { root, userHome }: EpisodePlace): string {
  const shown = placePaths(text, root)
  return userHome.length > 1 && shown.includes(userHome) ? shown.replaceAll(userHome, "~") : shown
}
