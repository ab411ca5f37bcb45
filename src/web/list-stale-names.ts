import type { Drey } from "../drey.ts"
import type { StaleName } from "./api.ts"

/** What an item names that is not as it was; nothing of what may be handed to nobody any more. */
export async function listStaleNames(drey: Drey, id: string): Promise<StaleName[]> {
  const { explanation } = await drey.search.explain(id, {})
  return (explanation?.names ?? []).flatMap(({ text, words, verdict: { state } }) =>
    state === "valid" || state === "unverifiable" ? [] : [{ state, text, words }],
  )
}
