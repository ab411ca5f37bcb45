import type { StoredItem } from "../index/index-store.ts"
import type { RecallParts } from "./recall-parts.ts"

/**
 * The same recall for a repository that the user has not trusted: what it brings along is background and nothing more, and of what was
 * learned only that is seen which holds in every project.
 */
export function asUntrusted(parts: RecallParts): RecallParts {
  const { index } = parts
  const isSeen = ({ source, scope }: StoredItem) => source !== "learned" || scope === "global"
  return {
    ...parts,
    untrusted: true,
    index: {
      ...index, // `find` names rows alone, which are read below
      items: async (ids) => (await index.items(ids)).filter(isSeen),
      rows: async (rows) => (await index.rows(rows)).filter(isSeen),
      select: async (filter, options) => (await index.select(filter, options)).filter(isSeen),
    },
  }
}
