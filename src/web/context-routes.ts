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
    const context = await (await drey.browse()).preview(asked)
    const { text, tokens, budget, taskId, included, left } = context
    return reply<ContextAnswer>({
      text,
      tokens,
      budget,
      taskId,
      included,
      left,
      explanation: context.explanation.map(
        ({ id, title, kept, reason, score, relevance, lane, tokens: cost, signals }) => ({
          id,
          title,
          kept,
          reason,
          score,
          relevance,
          lane: lane ?? null,
          tokens: cost ?? null,
          signals: Object.entries(signals ?? {}).flatMap(([name, value]) =>
            typeof value === "number" ? { name, value } : [],
          ),
        }),
      ),
    })
  }),
]
