import type { ContextAnswer } from "../../../src/recall/browse/app-api.ts"

/** The parts of a context, in the order in which it shows them, and what surrounds them. */
export const lanes = [
  { id: "warnings", name: "Warnings", hint: "Learned guards: what went wrong in similar work." },
  { id: "rules", name: "Rules", hint: "The team's directives, included for every task." },
  { id: "team", name: "Entries", hint: "The team's decisions and notes that are relevant to the task." },
  { id: "own", name: "History", hint: "This agent's own notes." },
  { id: "learned", name: "Learned", hint: "Memories from earlier work, on trial or proven." },
  { id: "frame", name: "Frame", hint: "Introduction, headings, titles of items that did not fit, and the end." },
] as const

export type LaneId = (typeof lanes)[number]["id"]

/** How many tokens each part takes. */
export function tokensByLane({ tokens, included, explanation }: ContextAnswer): Record<LaneId, number> {
  const laneOf = new Map(explanation.map(({ id, lane }) => [id, lane]))
  const used = { warnings: 0, rules: 0, team: 0, own: 0, learned: 0, frame: tokens }
  for (const item of included) {
    const lane = lanes.find(({ id }) => id === laneOf.get(item.id))?.id ?? "frame"
    used[lane] += item.tokens
    used.frame -= item.tokens
  }
  return used
}
