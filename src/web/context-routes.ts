import { z } from "zod"
import type { ContextAnswer } from "./api.ts"
import { post, reply } from "./route.ts"

const question = z.object({
  agent: z.string().max(200).optional(),
  task: z.string().max(20_000),
  budget: z.number().int().min(0).max(200_000).optional(),
  paths: z.array(z.string().max(1000)).max(100).optional(),
})

export const contextRoutes = [
  post("/api/context", question, async ({ drey }, asked) => {
    return reply<ContextAnswer>(await drey.search.browse.preview(asked))
  }),
]
