import type { Memory } from "./memory.ts"
import { one, type Steps } from "./steps.ts"

type Placed = Pick<Memory, "id" | "owner" | "project" | "pathPrefix" | "polarity" | "kind"> & { textHash: string }

/** The id of another active memory with the same text in the same scope. */
export function* twinOf(
  { id, textHash, owner, project, pathPrefix, polarity, kind }: Placed,
  { ofAnyKind }: { ofAnyKind: boolean },
): Steps<string | undefined> {
  const twin = yield* one<{ id: string }>(
    `SELECT memory_id AS id FROM memories
     WHERE text_hash = :textHash AND memory_id <> :id AND status <> 'deprecated' AND owner_type = :ownerType AND owner_id = :ownerId
       AND project_id IS NOT DISTINCT FROM :project AND path_prefix IS NOT DISTINCT FROM :prefix AND polarity = :polarity
       AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind)`,
    {
      textHash,
      id,
      ownerType: owner.type,
      ownerId: owner.id,
      project: project ?? null,
      prefix: pathPrefix ?? null,
      polarity,
      kind: ofAnyKind ? null : kind,
    },
  )
  return twin?.id
}
