import type { Database } from "../disk/sqlite.ts"
import type { EpisodeEvent } from "../episodes/episode.ts"
import { normalizeText } from "./normalize-text.ts"

/**
 * Takes the words of memories out of the episodes that they were learned from: of the events that show them, and of all others there that
 * say the same. What these events were, and what they count for, stays. Other memories that quote such an event lose the quotation.
 */
export function blankWords(database: Database, memories: readonly string[]): void {
  const ids = JSON.stringify(memories)
  const words = database
    .prepare<{ words: string }>(
      `SELECT text AS words FROM memories WHERE memory_id IN (SELECT value FROM json_each(:ids))
       UNION SELECT quote FROM evidence WHERE memory_id IN (SELECT value FROM json_each(:ids))`,
    )
    .all({ ids })
    .map((row) => normalizeText(row.words))
    .filter((each) => each !== "")
  const episodes = database
    .prepare<{ id: string; events: string; lines: string }>(
      `SELECT episode_id AS id, events_json AS events,
         (SELECT json_group_array(line) FROM evidence
          WHERE evidence.episode_id = episodes.episode_id AND memory_id IN (SELECT value FROM json_each(:ids))) AS lines
       FROM episodes WHERE episode_id IN (
         SELECT episode_id FROM evidence WHERE memory_id IN (SELECT value FROM json_each(:ids))
         UNION SELECT episode_id FROM applied_ops WHERE memory_id IN (SELECT value FROM json_each(:ids)))`,
    )
    .all({ ids })
  for (const { id, events, lines } of episodes) blankEpisode(database, id, JSON.parse(events), JSON.parse(lines), words)
}

function blankEpisode(
  database: Database,
  id: string,
  events: readonly EpisodeEvent[],
  lines: readonly number[],
  words: readonly string[],
): void {
  const isMeant = (event: EpisodeEvent) =>
    lines.includes(event.line) || wordsOf(event).some((each) => says(each, words))
  const left = events.map((event) => (isMeant(event) ? withoutWords(event) : event))
  database.prepare("UPDATE episodes SET events_json = ? WHERE episode_id = ?").run(JSON.stringify(left), id)
  const blanked = events.filter(isMeant).map(({ line }) => line)
  database
    .prepare("UPDATE evidence SET quote = '' WHERE episode_id = ? AND line IN (SELECT value FROM json_each(?))")
    .run(id, JSON.stringify(blanked))
}

function wordsOf({ summary, raw_snippet = "", command = "" }: EpisodeEvent): string[] {
  return [summary, raw_snippet, command].map(normalizeText)
}

/** A short piece, "ok" or "ls", may well be a part of anything. */
const leastPiece = 12

function says(piece: string, words: readonly string[]): boolean {
  return words.some((each) => piece.includes(each) || (piece.length >= leastPiece && each.includes(piece)))
}

function withoutWords({ raw_snippet: _, command: __, ...event }: EpisodeEvent): EpisodeEvent {
  return { ...event, summary: "" }
}
