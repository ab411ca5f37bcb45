import { basename } from "node:path"
import { z } from "zod"
import { queryKeys } from "../formats/query.ts"
import type { About } from "./api.ts"
import { get, reply } from "./route.ts"

export const aboutRoutes = [
  get("/api/about", z.object({}), async ({ drey, version, user }) => {
    const agents = await (await drey.browse()).agentNames()
    return reply<About>({
      version,
      root: drey.root,
      project: basename(drey.root),
      agents,
      queryKeys: [...queryKeys],
      user,
    })
  }),
]
