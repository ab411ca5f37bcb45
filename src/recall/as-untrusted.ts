import type { StoredItem } from "../index/index-store.ts"
import type { RecallParts } from "./recall-parts.ts"

/**
 * Recall for a repository that the user has not trusted: its items are background only, and of the learned memories
 * only global ones are visible.
 */
export function asUntrusted(parts: RecallParts): RecallParts {
  const { index } = parts
  const isSeen = ({ source, scope }: StoredItem) => source !== "learned" || scope === "global"
  return {
    ...parts,
    untrusted: true,
    index: {
      ...index, // `find` returns only rows, which are read below
      items: async (ids) => (await index.items(ids)).filter(isSeen),
      rows: async (rows) => (await index.rows(rows)).filter(isSeen),
      select: async (filter, options) => (await index.select(filter, options)).filter(isSeen),
    },
  }
}
