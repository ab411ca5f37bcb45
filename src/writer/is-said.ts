import type { EpisodeEvent } from "../episodes/episode.ts"

/** Whether the user typed it. */
export function isSaid({ role, kind }: EpisodeEvent): boolean {
  return role === "user" && kind === "message"
}
