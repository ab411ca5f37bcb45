import { basename } from "node:path"
import { z } from "zod"
import { queryKeys } from "../formats/query.ts"
import type { About } from "./api.ts"
import { get, reply } from "./route.ts"

/** All but what belongs to a team's server. */
const places = ["/", "/explorer", "/inbox", "/context", "/timeline", "/sessions", "/agents", "/audit", "/health"]

export const aboutRoutes = [
  get("/api/about", z.object({}), async ({ drey, version, user }) => {
    const agents = await drey.search.browse.agentNames()
    return reply<About>({
      version,
      root: drey.root,
      project: basename(drey.root),
      agents,
      queryKeys: [...queryKeys],
      user,
      places,
      team: null,
    })
  }),
]
