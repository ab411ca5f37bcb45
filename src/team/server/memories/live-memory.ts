import { one, type Steps } from "../../../store/steps.ts"

/** The live memory with this id, or its reworded successor. */
export function* liveMemoryOf(id: string): Steps<string | undefined> {
  const live = yield* one<{ id: string }>(
    `WITH RECURSIVE line (id) AS (
       SELECT memory_id FROM memories WHERE memory_id = :id OR derived_from = :id
       UNION SELECT memory_id FROM memories JOIN line ON derived_from = line.id
     ) SELECT memory_id AS id FROM memories WHERE memory_id IN (SELECT id FROM line) AND status <> 'deprecated'
     ORDER BY CASE memory_id WHEN :id THEN 0 ELSE 1 END, memory_id LIMIT 1`,
    { id },
  )
  return live?.id
}
