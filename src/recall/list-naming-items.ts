import type { StoredItem } from "../index/index-store.ts"
import type { RecallParts } from "./recall-parts.ts"

/**
 * What may be handed out and is about this repository, with a version that is another after every change. A memory for every project of its
 * owner may name what lies in another one.
 */
export async function listNamingItems({ index, now }: RecallParts): Promise<{ version: string; items: StoredItem[] }> {
  const items = await index.select({ agent: "*", not: { sources: ["session"] } }, { now: now().getTime() })
  return {
    version: String(await index.version()),
    items: items.filter(isAboutRepository),
  }
}

export function isAboutRepository({ source, scope }: Pick<StoredItem, "source" | "scope">): boolean {
  return source !== "learned" || scope !== "global"
}
