import type { Episode, EpisodeEvent } from "../../episodes/episode.ts"
import { placePaths } from "../../episodes/place-path.ts"
import { clearWithMarks } from "../../governance/cleared.ts"
import { episode as episodeForm, type UploadedEpisode } from "../api.ts"

/** Where its files lie on this machine, which is nobody's business. */
type EpisodePlace = { root: string; userHome: string }

/**
 * What the team gets of an episode: every word passes the gate once more, paths begin at the project or at `~`, and where the transcript
 * lies is not said. Undefined for one that has not the form of what a server takes.
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

/** Ids and times are names and no words: a mark in them would make two of them one. */
function clearEvent(event: EpisodeEvent, place: EpisodePlace): object {
  const clear = (value: unknown) => (typeof value === "string" ? clearWithMarks(placed(value, place)) : value)
  const { id, ts, ...words } = event
  const cleared = Object.entries(words).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(clear) : clear(value),
  ])
  return { id: placed(id, place), ts, ...Object.fromEntries(cleared) }
}

/** Home folders in their usual places are cut off when an episode is made; this one may be anywhere. */
function placed(text: string, { root, userHome }: EpisodePlace): string {
  const shown = placePaths(text, root)
  return userHome.length > 1 && shown.includes(userHome) ? shown.replaceAll(userHome, "~") : shown
}
