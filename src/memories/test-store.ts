import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { type Database, openDatabase } from "../disk/sqlite.ts"
import type { Episode, EpisodeEvent } from "./episode.ts"
import type { EpisodeCommit, Intake, LearnedStore, SettledUse, Settlement, TaskUse } from "./learned-store.ts"
import type { Trigger } from "./memory.ts"
import type { NewText, Operation } from "./writer.ts"

/** For tests: where a store may be made, in a folder that goes with the test. */
export function newStorePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-store-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "home", "drey.db")
}

/** The nth minute of a day. */
export function minute(n: number, day = "2026-03-01"): string {
  return new Date(Date.parse(`${day}T10:00:00.000Z`) + n * 60_000).toISOString()
}

export function testEvent(given: Partial<EpisodeEvent> = {}): EpisodeEvent {
  return { id: "r1", ts: minute(0), line: 1, role: "user", kind: "message", summary: "Please fix the build", ...given }
}

export function testEpisode(id: string, given: Partial<Episode> & { errors?: number; loops?: number } = {}): Episode {
  const { errors = 0, loops = 0, ...rest } = given
  return {
    id: `ep-2026-03-01-${id}`,
    project: "p-one",
    client: "claude-code",
    session: `session of ${id}`,
    transcript: `/home/kim/.claude/projects/one/${id}.jsonl`,
    start: minute(0),
    end: minute(30),
    events: [testEvent({ id: `${id}-1` })],
    stats: {
      error_count: errors,
      retry_loops: loops,
      retry_attempts: 0,
      tests_final_status: "not_run",
      user_frustration: "none",
      interrupts: 0,
      rejections: 0,
      outcome: "success",
    },
    flushReason: "task_boundary",
    ...rest,
  }
}

type Read = NonNullable<Intake["read"]>

/** Reads come from one transcript, unless the test says otherwise. */
export function testIntake({ read, ...given }: Partial<Omit<Intake, "read">> & { read?: Partial<Read> } = {}): Intake {
  const position = { offset: 0, line: 0, stamp: "", carried: "" }
  const whole = { client: "claude-code" as const, path: "/t.jsonl", position, seen: [], ...read }
  return { open: [], episodes: [], ...(read ? { read: whole } : {}), ...given }
}

export function testText(text: string, given: Partial<NewText> = {}): NewText {
  return {
    scope: "project",
    owner: { type: "user", id: "kim" },
    kind: "pattern",
    tier: "short_term",
    polarity: 1,
    text,
    confidence: 0.9,
    evidence: { source: "explicit_statement", frustration: "none" },
    ...given,
  }
}

export function add(text: string, given: Partial<NewText> = {}): Operation {
  return { op: "ADD", ...testText(text, given) }
}

export function update(target: string | undefined, text: string, given: Partial<NewText> = {}): Operation {
  return { op: "UPDATE", target, ...testText(text, given) }
}

export function end(
  target: string,
  reason = "It is over",
  source: NewText["evidence"]["source"] = "explicit_statement",
): Operation {
  return { op: "DEPRECATE", target, reason, evidence: { source, frustration: "none" } }
}

export const noTrigger: Trigger = { tools: [], heads: [], paths: [], fingerprints: [] }

export const nothingSettled: Settlement = { uses: [], injected: false }

export function testCommit(
  episode: string,
  operations: readonly Operation[],
  given: Partial<EpisodeCommit> = {},
): EpisodeCommit {
  return {
    episode: `ep-2026-03-01-${episode}`,
    operations,
    owner: { type: "user", id: "kim" },
    trigger: noTrigger,
    settlement: nothingSettled,
    policy: {
      duplicateSimilarity: 0.95,
      refineSimilarity: 0.85,
      conflictSimilarity: 0.85,
      dropConfidence: 0.4,
      shortTermDays: 30,
      emergencyDays: 7,
      allowTeam: false,
    },
    now: minute(30),
    ...given,
  }
}

/** Stores an episode and commits what was learned from it. */
export async function learn(
  store: LearnedStore,
  id: string,
  operations: readonly Operation[],
  given: { episode?: Parameters<typeof testEpisode>[1]; commit?: Partial<EpisodeCommit> } = {},
) {
  await store.takeIn(testIntake({ episodes: [testEpisode(id, given.episode)] }))
  const outcome = await store.commit(testCommit(id, operations, given.commit))
  return outcome.kind === "committed" ? outcome.outcomes : []
}

/** Learns one thing and returns its id. */
export async function learnOne(
  store: LearnedStore,
  id: string,
  operation: Operation,
  episode?: Parameters<typeof testEpisode>[1],
) {
  const [outcome] = await learn(store, id, [operation], episode ? { episode } : {})
  if (outcome && "id" in outcome) return outcome.id
  throw new Error(`nothing was learned: ${JSON.stringify(outcome)}`)
}

export function testTask(task: string, given: Partial<TaskUse> = {}): TaskUse {
  return {
    task,
    project: "p-one",
    session: "session",
    agent: undefined,
    taskHash: `hash of ${task}`,
    ts: minute(0),
    memories: [],
    ...given,
  }
}

export function handedOut(id: string, injected = true) {
  return { id, injected, rank: 1, score: 0.5 }
}

export function settledUse(memory: string, task: string | undefined, given: Partial<SettledUse> = {}): SettledUse {
  return { memory, task, exposed: false, cited: false, hit: false, miss: false, regretSaved: 0, netRegret: 0, ...given }
}

const dimensions = 64

/** For tests: texts with words in common are near, others are not; the order of words makes no difference, as with the table of word pieces. */
export const wordEmbedder = {
  id: "words-1",
  vector(text: string): Float32Array {
    const vector = new Float32Array(dimensions)
    for (const word of text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []) {
      let state = 7
      for (let at = 0; at < word.length; at++) state = Math.imul(state ^ word.charCodeAt(at), 0x01000193)
      for (let at = 0; at < dimensions; at++) {
        state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + at
        vector[at] = (vector[at] as number) + (state >> 8) / 2 ** 23
      }
    }
    return vector
  },
}

/** Every row of every table, in an order that does not depend on how it came to be: two databases with the same dump hold the same. */
export function dumpStore(path: string): string[] {
  const database = openDatabase(path, { readOnly: true })
  try {
    return database.transaction("deferred", () => dumpTables(database))
  } finally {
    database.close()
  }
}

function dumpTables(database: Database): string[] {
  const tables = database
    .prepare<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
  return tables.flatMap(({ name }) => {
    const columns = database.prepare<{ name: string }>("SELECT name FROM pragma_table_xinfo(?) ORDER BY cid").all(name)
    // Integers as text: those of a hash are larger than JavaScript's.
    const shown = columns.map(
      (column) =>
        `CASE typeof("${column.name}") WHEN 'blob' THEN hex("${column.name}") WHEN 'integer' THEN CAST("${column.name}" AS TEXT) ELSE "${column.name}" END`,
    )
    const order = shown.map((_, at) => at + 1).join(", ")
    const rows = database.prepare(`SELECT ${shown.join(", ")} FROM "${name}" ORDER BY ${order}`).all()
    return rows.map((row) => `${name} ${JSON.stringify(Object.values(row))}`)
  })
}
