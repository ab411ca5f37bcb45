import { basename } from "node:path"
import { z } from "zod"
import type { Need } from "../recall/browse/needs.ts"
import type { Overview } from "./api.ts"
import { get, reply } from "./route.ts"

export const overviewRoutes = [
  get("/api/overview", z.object({}), async ({ drey }) => {
    const browse = drey.search.browse
    const { needs, ...stock } = await browse.stock()
    const agents = await browse.agents()
    return reply<Overview>({
      project: { name: basename(drey.root), root: drey.root },
      ...stock,
      needs: needs.map(({ query, ...need }) => ({ ...need, href: placeOf(need.kind, query) })),
      cost: agents.map(({ name, baseTokens, meanTokens }) => ({ agent: name, tokens: meanTokens ?? baseTokens })),
    })
  }),
]

/** Where the app shows it. */
function placeOf(kind: Need["kind"], query: string | undefined): string {
  if (query !== undefined) return `/explorer?q=${encodeURIComponent(query)}`
  if (kind === "inbox") return "/inbox"
  return kind === "over budget" ? "/agents" : "/health"
}
