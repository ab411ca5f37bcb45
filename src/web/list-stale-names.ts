import type { Drey } from "../drey.ts"
import type { StaleName } from "./api.ts"

/** Stale references of an item; none for items that agents no longer see. */
export async function listStaleNames(drey: Drey, id: string): Promise<StaleName[]> {
  const { explanation } = await drey.search.explain(id, {})
  return (explanation?.names ?? []).flatMap(({ text, words, verdict: { state } }) =>
    state === "valid" || state === "unverifiable" ? [] : [{ state, text, words }],
  )
}
