import type { EpisodeEvent } from "../episodes/episode.ts"
import { normalizeText } from "../formats/normalize-text.ts"
import { all, run, type Steps } from "./steps.ts"

/**
 * Removes the text of memories from the episodes they were learned from: from the events that are evidence, and from
 * all other events there with the same text. Event types and statistics stay. Other memories that quote such an event
 * lose the quote.
 */
export function* blankWords(memories: readonly string[]): Steps<void> {
  const ids = JSON.stringify(memories)
  const said = yield* all<{ words: string }>(
    `SELECT text AS words FROM memories WHERE memory_id IN (SELECT value FROM json_each(:ids))
     UNION SELECT quote FROM evidence WHERE memory_id IN (SELECT value FROM json_each(:ids))`,
    { ids },
  )
  const words = said.map((row) => normalizeText(row.words)).filter((each) => each !== "")
  const shown = yield* all<{ episode: string; line: number }>(
    "SELECT episode_id AS episode, line FROM evidence WHERE memory_id IN (SELECT value FROM json_each(?))",
    ids,
  )
  const episodes = yield* all<{ id: string; events: string }>(
    `SELECT episode_id AS id, events_json AS events FROM episodes WHERE episode_id IN (
       SELECT episode_id FROM evidence WHERE memory_id IN (SELECT value FROM json_each(:ids))
       UNION SELECT episode_id FROM applied_ops WHERE memory_id IN (SELECT value FROM json_each(:ids)))`,
    { ids },
  )
  for (const { id, events } of episodes) {
    const lines = shown.filter(({ episode }) => episode === id).map(({ line }) => line)
    yield* blankEpisode(id, JSON.parse(events), lines, words)
  }
}

function* blankEpisode(
  id: string,
  events: readonly EpisodeEvent[],
  lines: readonly number[],
  words: readonly string[],
): Steps<void> {
  const isMeant = (event: EpisodeEvent) =>
    lines.includes(event.line) || wordsOf(event).some((each) => says(each, words))
  const left = events.map((event) => (isMeant(event) ? withoutWords(event) : event))
  yield* run("UPDATE episodes SET events_json = ? WHERE episode_id = ?", JSON.stringify(left), id)
  const blanked = events.filter(isMeant).map(({ line }) => line)
  yield* run(
    `UPDATE evidence SET quote = '' WHERE episode_id = ? AND line IN (SELECT CAST(value AS INTEGER) FROM json_each(?))`,
    id,
    JSON.stringify(blanked),
  )
}

function wordsOf({ summary, raw_snippet = "", command = "" }: EpisodeEvent): string[] {
  return [summary, raw_snippet, command].map(normalizeText)
}

/** A short text such as "ok" or "ls" can be part of anything. */
const leastPiece = 12

function says(piece: string, words: readonly string[]): boolean {
  return words.some((each) => piece.includes(each) || (piece.length >= leastPiece && each.includes(piece)))
}

function withoutWords({ raw_snippet: _, command: __, ...event }: EpisodeEvent): EpisodeEvent {
  return { ...event, summary: "" }
}
