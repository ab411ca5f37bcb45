import { z } from "zod"
import { parseQuery } from "../formats/query.ts"
import type { Items, StaleNames, Timeline } from "./api.ts"
import { describeForWeb } from "./describe-for-web.ts"
import { listStaleNames } from "./list-stale-names.ts"
import { get, notFound, reply } from "./route.ts"

const longestQuery = 2000
const query = z.string().max(longestQuery).default("")
const place = z.coerce.number().int().min(0)

const noFacets = { type: [], author: [], scope: [], tag: [], status: [], source: [] }

export const itemRoutes = [
  get(
    "/api/items",
    z.object({ q: query, limit: place.max(500).default(50), offset: place.default(0) }),
    async ({ drey }, { q, limit, offset }) => {
      const parsed = parseQuery(q)
      if (parsed.kind === "invalid")
        return reply<Items>({ rows: [], total: 0, facets: noFacets, problems: parsed.problems })
      const page = await drey.search.browse.items(parsed.query, { limit, offset })
      return reply<Items>({ ...page, problems: [] })
    },
  ),
  get("/api/timeline", z.object({ q: query }), async ({ drey }, { q }) => {
    const parsed = parseQuery(q)
    if (parsed.kind === "invalid") return reply<Timeline>({ types: [], at: [], type: [], ids: [], weeks: [] })
    return reply<Timeline>(await drey.search.browse.timeline(parsed.query))
  }),
  get("/api/items/:id", z.object({}), async ({ drey }, _, { id = "" }) => {
    const detail = await describeForWeb(drey, id)
    return detail ? reply(detail) : notFound(`No item has the id ${id}.`)
  }),
  get("/api/items/:id/names", z.object({}), async ({ drey }, _, { id = "" }) =>
    reply<StaleNames>({ names: await listStaleNames(drey, id) }),
  ),
]
