import { truncate } from "../formats/truncate.ts"
import type { Episode } from "./episode.ts"

const longestTaskText = 1000

/** The task in the user's words, first message first. */
export function taskTextOf({ events }: Pick<Episode, "events">): string {
  const said = events
    .filter(({ role, kind, incident }) => role === "user" && kind === "message" && incident === undefined)
    .map(({ summary, raw_snippet }) => (raw_snippet === undefined ? summary : `${summary} ${raw_snippet}`))
  return truncate([...new Set(said)].join("\n"), longestTaskText)
}
