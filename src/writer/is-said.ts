import type { EpisodeEvent } from "../episodes/episode.ts"

/** Whether a person typed it. */
export function isSaid({ role, kind }: EpisodeEvent): boolean {
  return role === "user" && kind === "message"
}
