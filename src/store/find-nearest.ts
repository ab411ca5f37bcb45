import { namesKey, plainWords } from "../formats/names-key.ts"
import { knownAs } from "./known-as.ts"
import type { Near, NearestQuery } from "./learned-store.ts"
import type { Trigger } from "./memory.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { isInside } from "./path-prefix.ts"
import { type Comparable, type StoredText, similarity, storedText } from "./similarity.ts"
import { all, type Steps } from "./steps.ts"

type CandidateRow = StoredText & {
  id: string
  key: string | null
  path_prefix: string | null
  trigger_json: string | null
}

type Found = { id: string; similarity: number; by: Near["by"] }

/**
 * Filters first (active, unexpired, of the project or global), then compares exactly. Matches by error or key come
 * before matches by similarity.
 */
export function* findNearest(query: NearestQuery, asked: Comparable): Steps<Near[]> {
  const rows = yield* all<CandidateRow>(
    `SELECT memory_id AS id, key, path_prefix, CASE WHEN :triggers = 1 THEN trigger_json END AS trigger_json, ${storedText} FROM memories
     WHERE (project_id IS NULL OR project_id = :project) AND status <> 'deprecated' AND (expires_at IS NULL OR expires_at > :now)`,
    {
      triggers: Number([query.tools, query.heads, query.fingerprints, query.paths].some((list) => list?.length)),
      project: yield* knownAs(query.project),
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

function measure(row: CandidateRow, query: NearestQuery, asked: Comparable, words: ReadonlySet<string>): Found {
  const near = similarity(asked, row)
  const { tools = [], heads = [], fingerprints = [], paths = [] } = query
  const trigger: Trigger = row.trigger_json === null ? noTrigger : JSON.parse(row.trigger_json)
  const share = (one: readonly string[], other: readonly string[]) => one.some((value) => other.includes(value))
  const isPlace = row.path_prefix !== null && paths.length > 0
  const reasons: [Near["by"][number], boolean][] = [
    ["fingerprint", share(trigger.fingerprints, fingerprints)],
    ["key", row.key !== null && namesKey(words, row.key)],
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
