import { normalizeText } from "../formats/text-difference.ts"
import { blankSummary } from "./conversations.ts"
import type { EpisodeEvent } from "./episode.ts"
import { changeMemory, memoriesByIds, refreshMetrics } from "./memory-rows.ts"
import { clearNote } from "./proposal.ts"
import { all, run, type Steps } from "./steps.ts"

export type ForgetMemoriesOptions = { purge: boolean; reason: string; now: string }

/** Ends memories; `purge` removes everything but their ids and text hashes. Returns the ids that existed. */
export function* forgetMemories(
  ids: readonly string[],
  { purge, reason, now }: ForgetMemoriesOptions,
): Steps<string[]> {
  const known = yield* memoriesByIds([...new Set(ids)])
  const found = known.filter(({ status }) => purge || status !== "deprecated")
  const note = { action: "forgotten", reason: clearNote(reason), now }
  for (const { id } of found) {
    if (purge) yield* purgeMemory(id, now)
    else yield* changeMemory(id, { status: "deprecated" }, note)
  }
  return found.map(({ id }) => id)
}

/**
 * Removes the row with its evidence, uses and metrics, its text in the source episodes, and the memories it refined.
 */
function* purgeMemory(id: string, now: string): Steps<void> {
  const line = yield* lineOf(id)
  yield* blankWords(line)
  const ids = JSON.stringify(line)
  yield* run(
    `INSERT INTO tombstones (memory_id, text_hash, project_id, purged_at)
     SELECT memory_id, text_hash, project_id, ? FROM memories WHERE memory_id IN (SELECT value FROM json_each(?))
     ON CONFLICT DO NOTHING`,
    now,
    ids,
  )
  const heirs = yield* all<{ id: string }>("SELECT memory_id AS id FROM memories WHERE derived_from = ?", id)
  yield* run("DELETE FROM memory_audit WHERE memory_id IN (SELECT value FROM json_each(?))", ids)
  yield* run("DELETE FROM memories WHERE memory_id IN (SELECT value FROM json_each(?))", ids)
  yield* refreshMetrics(heirs.map((heir) => heir.id))
}

/** A memory and the memories it was derived from. */
function* lineOf(id: string): Steps<string[]> {
  const rows = yield* all<{ id: string }>(
    `WITH RECURSIVE line (id) AS (
       SELECT memory_id FROM memories WHERE memory_id = ?
       UNION SELECT derived_from FROM memories JOIN line ON memory_id = line.id WHERE derived_from IS NOT NULL
     ) SELECT id FROM line`,
    id,
  )
  return rows.map((row) => row.id)
}

/**
 * Removes the text of memories from the episodes they were learned from: from the events that are evidence, and from
 * all other events there with the same text. Event types and statistics stay. Other memories that quote such an event
 * lose the quote.
 */
function* blankWords(memories: readonly string[]): Steps<void> {
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
  const removed = [
    ...words,
    ...events
      .filter(isMeant)
      .flatMap(wordsOf)
      .filter(({ length }) => length >= leastPiece),
  ]
  yield* blankSummary(id, (text) => says(normalizeText(text), removed))
  const blanked = events.filter(isMeant).map(({ line }) => line)
  yield* run(
    `UPDATE evidence SET quote = '' WHERE episode_id = ? AND line IN (SELECT CAST(value AS INTEGER) FROM json_each(?))`,
    id,
    JSON.stringify(blanked),
  )
}

function wordsOf({ summary, words = "", raw_snippet = "", command = "" }: EpisodeEvent): string[] {
  return [summary, words, raw_snippet, command].map(normalizeText)
}

/** A short text such as "ok" or "ls" can be part of anything. */
const leastPiece = 12

function says(piece: string, words: readonly string[]): boolean {
  return words.some((each) => piece.includes(each) || (piece.length >= leastPiece && each.includes(piece)))
}

function withoutWords({ raw_snippet: _, command: __, words: ___, ...event }: EpisodeEvent): EpisodeEvent {
  return { ...event, summary: "" }
}
