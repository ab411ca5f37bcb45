import type { ContextAnswer } from "../../web/api.ts"
import type { Context } from "../build-context.ts"

/** A context as pages show it, with all signals of each item. */
export function showContext(context: Context): ContextAnswer {
  const { text, tokens, budget, taskId, included, left } = context
  return {
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
  }
}
