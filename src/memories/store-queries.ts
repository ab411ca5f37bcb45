import { plainWords, taskMatchesKey } from "../formats/memory-topics.ts"
import type { NearestQuery, NearMemory, StoreCounts } from "./learned-store.ts"
import type { Trigger } from "./memory.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { currentProjectId } from "./project-id.ts"
import { isInside } from "./proposal.ts"
import { type ComparableText, type StoredText, similarity, storedText } from "./similarity.ts"
import { all, one, type Steps } from "./steps.ts"

type CandidateRow = StoredText & {
  id: string
  key: string | null
  path_prefix: string | null
  trigger_json: string | null
}

type Found = { id: string; similarity: number; by: NearMemory["by"] }

/**
 * Filters first (active, unexpired, of the project or global), then compares exactly. Matches by error or key come
 * before matches by similarity.
 */
export function* findNearest(query: NearestQuery, asked: ComparableText): Steps<NearMemory[]> {
  const rows = yield* all<CandidateRow>(
    `SELECT memory_id AS id, key, path_prefix, CASE WHEN :triggers = 1 THEN trigger_json END AS trigger_json, ${storedText} FROM memories
     WHERE (project_id IS NULL OR project_id = :project) AND status <> 'deprecated' AND (expires_at IS NULL OR expires_at > :now)`,
    {
      triggers: Number([query.tools, query.heads, query.fingerprints, query.paths].some((list) => list?.length)),
      project: yield* currentProjectId(query.project),
      now: query.now,
      model: asked.model ?? null,
    },
  )
  const words = plainWords(query.text)
  const found = rows
    .filter(({ path_prefix }) => path_prefix === null || isAmong(path_prefix, query.paths))
    .map((row) => measure(row, query, asked, words))
    .filter(({ by }) => by.length > 0)
    .sort(compare)
    .slice(0, query.limit)
  const wanted = yield* memoriesByIds(found.map(({ id }) => id))
  const memories = new Map(wanted.map((memory) => [memory.id, memory]))
  return found.flatMap(({ id, ...near }) => {
    const memory = memories.get(id)
    return memory ? [{ memory, ...near }] : []
  })
}

/** A query without paths may match memories of any path. */
function isAmong(prefix: string, paths: readonly string[] | undefined): boolean {
  return paths === undefined || paths.some((path) => isInside(path, prefix))
}

function measure(row: CandidateRow, query: NearestQuery, asked: ComparableText, words: ReadonlySet<string>): Found {
  const near = similarity(asked, row)
  const { tools = [], heads = [], fingerprints = [], paths = [] } = query
  const trigger: Trigger = row.trigger_json === null ? noTrigger : JSON.parse(row.trigger_json)
  const share = (one: readonly string[], other: readonly string[]) => one.some((value) => other.includes(value))
  const isPlace = row.path_prefix !== null && paths.length > 0
  const reasons: [NearMemory["by"][number], boolean][] = [
    ["fingerprint", share(trigger.fingerprints, fingerprints)],
    ["key", row.key !== null && taskMatchesKey(words, row.key)],
    ["head", share(trigger.heads, heads)],
    ["path", isPlace || share(trigger.paths, paths)],
    ["tool", share(trigger.tools, tools)],
    ["meaning", near >= (query.atLeast ?? Number.NEGATIVE_INFINITY)],
  ]
  return { id: row.id, similarity: near, by: reasons.filter(([, holds]) => holds).map(([reason]) => reason) }
}

const noTrigger: Trigger = { tools: [], heads: [], paths: [], fingerprints: [] }

function compare(one: Found, other: Found): number {
  const strength = ({ by }: Found) => (by[0] === "fingerprint" ? 2 : by[0] === "key" ? 1 : 0)
  return strength(other) - strength(one) || other.similarity - one.similarity || (one.id < other.id ? -1 : 1)
}

const isOfProject = "(CAST(:project AS TEXT) IS NULL OR project_id = :project)"

/** Counts for one project (including global memories) or for all. */
export function* countStore(project: string | undefined, maxAttempts: number): Steps<StoreCounts> {
  const id = project === undefined ? null : yield* currentProjectId(project)
  const episodes = yield* one<StoreCounts["episodes"]>(
    `SELECT count(*) FILTER (WHERE processed = 1 AND skip_reason IS NULL) AS processed,
       count(*) FILTER (WHERE processed = 0 AND attempts < :most) AS waiting,
       count(*) FILTER (WHERE processed = 0 AND attempts >= :most) AS parked,
       count(*) FILTER (WHERE processed = 1 AND skip_reason IS NOT NULL) AS skipped
     FROM episodes WHERE ${isOfProject}`,
    { project: id, most: maxAttempts },
  )
  return {
    memories: { provisional: 0, active: 0, deprecated: 0, ...(yield* tallyMemories("status", id)) },
    kinds: { preference: 0, invariant: 0, pattern: 0, guard: 0, note: 0, ...(yield* tallyMemories("kind", id)) },
    episodes: { processed: 0, waiting: 0, parked: 0, skipped: 0, ...episodes },
    openTasks: yield* countOf(`SELECT session_id FROM open_tasks WHERE ${isOfProject}`, id),
    transcripts: yield* countOf(
      `SELECT transcript FROM episodes WHERE ${isOfProject} UNION SELECT transcript FROM open_tasks WHERE ${isOfProject}`,
      id,
    ),
  }
}

function* tallyMemories(column: "status" | "kind", project: string | null): Steps<Record<string, number>> {
  const rows = yield* all<{ name: string; n: number }>(
    `SELECT ${column} AS name, count(*) AS n FROM memories
     WHERE ${isOfProject} OR project_id IS NULL GROUP BY ${column}`,
    { project },
  )
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]))
}

function* countOf(rows: string, project: string | null): Steps<number> {
  const row = yield* one<{ n: number }>(`SELECT count(*) AS n FROM (${rows}) AS counted`, { project })
  return row?.n ?? 0
}
