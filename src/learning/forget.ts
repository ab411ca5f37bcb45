import type { LearningParts } from "./learning-parts.ts"

export type Forgetting = { forgotten: string[]; purged: boolean }

/** Ends memories; with `purge` nothing of them remains but their ids, so that nothing brings them back. */
export async function forget(
  { store }: LearningParts,
  ids: readonly string[],
  { purge, reason, now }: { purge: boolean; reason: string; now: string },
): Promise<Forgetting> {
  return { forgotten: await store.forget(ids, { purge, reason, now }), purged: purge }
}
