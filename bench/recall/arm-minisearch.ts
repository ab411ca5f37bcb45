import MiniSearch from "minisearch"
import type { Arm } from "./arm.ts"

/** MiniSearch as it comes: its tokeniser, its scoring, any of the words, title and text as two fields. */
export const miniSearch: Arm = {
  name: "MiniSearch",
  kind: "simple",
  async open(store) {
    const index = new MiniSearch({ fields: ["title", "text"] })
    index.addAll(store.documents)
    return {
      search: async (query, limit) =>
        index
          .search(query)
          .slice(0, limit)
          .map(({ id, score }) => ({ id, score })),
      async close() {},
    }
  },
}
